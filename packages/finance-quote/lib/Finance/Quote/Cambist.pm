package Finance::Quote::Cambist;

use strict;
use warnings;

use HTTP::Request;
use JSON qw(decode_json);

our $RELEASE = '0.2.0.dev0';
our ($VERSION) = $RELEASE =~ /^(\d+\.\d+\.\d+)/;

my @LABELS = qw(symbol name currency last price date isodate time source);

# Finance::Quote knows only the currency rates that its list names; what is loaded with this module adds itself there.
push @Finance::Quote::CURRENCY_RATES_MODULES, 'Cambist'
  unless grep { $_ eq 'Cambist' } @Finance::Quote::CURRENCY_RATES_MODULES;

sub methods { return (cambist => \&cambist); }

sub labels { return (cambist => \@LABELS); }

sub parameters { return qw(URL API_KEY); }

# Prices are those of the currency that a symbol names, so that Finance::Quote converts nothing unless it is told to.
sub currency_fields { return qw(last price); }

sub cambist {
    my ($quoter, @symbols) = @_;
    my $given = $quoter->{module_specific_data}{cambist};
    my %found;
    foreach my $symbol (@symbols) {
        @found{map { "$symbol$;$_" } qw(symbol method success)} = ($symbol, 'cambist', 0);
        my ($base, $quote) = split m{[/:-]}, uc $symbol, 2;
        $quote ||= uc($quoter->{currency} || 'USD');
        my ($answer, $error) = ask($quoter->get_user_agent, $given, $base, $quote);
        if (defined $error) {
            $found{$symbol, 'errormsg'} = $error;
            next;
        }
        my ($day, $time) = $answer->{updated} =~ /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/;
        $found{$symbol, 'name'} = "$base/$quote";
        $found{$symbol, 'source'} = 'Cambist';
        $found{$symbol, 'currency'} = $quote;
        $found{$symbol, 'last'} = $found{$symbol, 'price'} = $answer->{result}{$quote};
        $found{$symbol, 'time'} = $time;
        $quoter->store_date(\%found, $symbol, {isodate => $day});
        $found{$symbol, 'success'} = 1;
    }
    return wantarray ? %found : \%found;
}

# Return the answer of the service about one rate, or else undef and a sentence that says what is wrong.
sub ask {
    my ($agent, $given, $base, $quote) = @_;
    my $address = $given->{URL} || $ENV{CAMBIST_URL} || '';
    my $key = $given->{API_KEY} || $ENV{CAMBIST_KEY} || '';
    $address =~ s{/+$}{};
    return (undef, "Set URL or CAMBIST_URL to the address of the service, such as http://127.0.0.1:8000: [$address]")
      unless $address =~ m{^https?://};
    foreach my $code ($base, $quote) {
        return (undef, "Invalid symbol: [$base/$quote], it takes two codes such as EUR/USD")
          unless $code =~ /^[A-Z0-9]+$/;
    }
    my $request = HTTP::Request->new(GET => "$address/fetch-one?from=$base&to=$quote");
    $request->header('X-API-Key' => $key) if length $key;
    my $reply = $agent->simple_request($request);    # no redirects: the key is for this address alone
    my $answer = eval { decode_json($reply->content) };
    return ($answer, undef)
      if $reply->is_success && ref $answer eq 'HASH' && defined $answer->{updated} && $answer->{result}{$quote};
    return (undef, $answer->{error}) if ref $answer eq 'HASH' && $answer->{error};
    return (undef, "$address does not answer as Cambist does: " . $reply->status_line);
}

1;

=head1 NAME

Finance::Quote::Cambist - prices of currencies, metals and coins from Cambist, a self-hosted service

=head1 SYNOPSIS

    use Finance::Quote;

    my $quoter = Finance::Quote->new('Cambist', cambist => {URL => 'http://127.0.0.1:8000', API_KEY => 'cmb_...'});
    my %price = $quoter->fetch('cambist', 'XAU/EUR');

=head1 DESCRIPTION

A symbol is C<BASE/QUOTE>, such as C<EUR/USD>, C<XAU/EUR> (a troy ounce of gold) or C<BTC/USD>; also with C<:> or C<->.
A single code is priced in the quoter's C<fetch_currency>, or else in US dollars. Labels: symbol, name, currency, last,
price, date, isodate, time (UTC) and source; errormsg has the sentence of the service if there is no price.

URL and API_KEY may also be the variables CAMBIST_URL and CAMBIST_KEY of the environment. Programs such as GnuCash load
the module if FQ_LOAD_QUOTELET is C<-defaults Cambist>.

=head1 SEE ALSO

L<Finance::Quote::CurrencyRates::Cambist>

=cut
