package Finance::Quote::CurrencyRates::Cambist;

use strict;
use warnings;

use Finance::Quote::Cambist;

our $VERSION = $Finance::Quote::Cambist::VERSION;

sub new {
    my ($class, $given) = @_;
    return bless {given => $given || {}, kept => {}}, ref $class || $class;
}

# Return how much of each currency is worth the same. A rate is kept as long as the Finance::Quote object.
sub multipliers {
    my ($this, $agent, $from, $to) = @_;
    unless (exists $this->{kept}{$from, $to}) {
        my ($answer, $error) = Finance::Quote::Cambist::ask($agent, $this->{given}, $from, $to);
        if (defined $error) {
            warn "Cambist: $error\n";
            return;
        }
        $this->{kept}{$from, $to} = $answer->{result}{$to};
    }
    return (1, $this->{kept}{$from, $to});
}

1;

=head1 NAME

Finance::Quote::CurrencyRates::Cambist - currency rates from Cambist, a self-hosted service

=head1 SYNOPSIS

    use Finance::Quote;

    my $quoter = Finance::Quote->new('Cambist', currency_rates => {
        order => ['Cambist'],
        cambist => {URL => 'http://127.0.0.1:8000', API_KEY => 'cmb_...'},
    });
    my $rate = $quoter->currency('EUR', 'USD');

=head1 DESCRIPTION

Name C<Cambist> among the modules too, as above or in FQ_LOAD_QUOTELET: this makes the rates known to Finance::Quote. URL
and API_KEY may also be the variables CAMBIST_URL and CAMBIST_KEY of the environment.

=cut
