# Finance::Quote with the hosts that are written in it: perl run_finance_quote.pl SOURCE KEY. Writes a rate.
use strict;
use warnings;
use Finance::Quote;

my ($source, $key) = @ARGV;
my %given = $source eq 'ECB' ? () : (lc($source) => {API_KEY => $key});
my $quote = Finance::Quote->new(currency_rates => {order => [$source], %given});
my $rate = $quote->currency('EUR', 'USD');
print defined $rate ? "$rate\n" : "null\n";
