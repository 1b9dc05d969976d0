# Finance::Quote with the module of packages/finance-quote, named or by the environment. Arguments: address, key, and
# symbols. Writes JSON: what was found of each symbol, the rate of EUR/USD, 10 EUR in JPY and an ounce of gold in CHF.
use strict;
use warnings;
use Finance::Quote;
use JSON qw(encode_json);

my ($url, $key, @symbols) = @ARGV;
my %given = $url ? (URL => $url, API_KEY => $key) : ();
my @modules = $ENV{FQ_LOAD_QUOTELET} ? () : ('Cambist');
my $quoter = Finance::Quote->new(@modules, cambist => {%given}, currency_rates => {order => ['Cambist'], cambist => {%given}});
my %found = $quoter->fetch('cambist', @symbols);
my %prices;
foreach my $name (keys %found) {
    my ($symbol, $label) = split /$;/, $name;
    $prices{$symbol}{$label} = "$found{$name}";
}
my @converted = map { my $is = $quoter->currency(@$_); defined $is ? $is + 0 : undef }
  (['EUR', 'USD'], ['10 EUR', 'JPY'], ['XAU', 'CHF']);
print encode_json({prices => \%prices, converted => \@converted}), "\n";
