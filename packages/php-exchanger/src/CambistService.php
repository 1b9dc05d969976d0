<?php

declare(strict_types=1);

namespace Cambist\Exchanger;

use DateTimeImmutable;
use DateTimeZone;
use Exchanger\Contract\ExchangeRate;
use Exchanger\Contract\ExchangeRateQuery;
use Exchanger\Contract\HistoricalExchangeRateQuery;
use Exchanger\Exception\Exception;
use Exchanger\Service\HttpService;
use Exchanger\Service\SupportsHistoricalQueries;
use InvalidArgumentException;

/**
 * A service of Exchanger that asks Cambist: live rates, and rates of past days.
 *
 * Options: url, the address of the service, such as http://127.0.0.1:8000; api_key, which a service whose page is open
 * does not need. Errors: Exception with the sentence of the service and the status of its answer as the code.
 */
final class CambistService extends HttpService
{
    use SupportsHistoricalQueries;

    /** The version of this package; Composer takes it from the tag. */
    public const VERSION = '0.2.0.dev0';

    /** What a query for a live rate may have as options: parameters of /fetch-one. */
    public const OPTIONS_OF_LIVE_RATES = ['rate_type', 'min_sources', 'max_age'];

    /** What a query for the rate of a day may have as options: parameters of /historical. */
    public const OPTIONS_OF_PAST_RATES = ['source', 'rule', 'booking', 'as_of', 'rate_type', 'min_sources'];

    /** Check the options. Errors: InvalidArgumentException, which says what is missing or wrong. */
    public function processOptions(array &$options): void
    {
        $url = $options['url'] ?? null;
        if (!is_string($url) || !preg_match('#^https?://[^/?\#\s]+[^?\#\s]*$#', $url)) {
            throw new InvalidArgumentException(
                'Set the option "url" to the address of the service, such as http://127.0.0.1:8000.'
            );
        }
        $options['url'] = rtrim($url, '/');
    }

    public function getName(): string
    {
        return 'cambist';
    }

    /** Return true: which codes and days have rates, only the service knows. */
    public function supportQuery(ExchangeRateQuery $exchangeQuery): bool
    {
        return true;
    }

    protected function getLatestExchangeRate(ExchangeRateQuery $exchangeQuery): ExchangeRate
    {
        $answer = $this->ask('fetch-one', $exchangeQuery, self::OPTIONS_OF_LIVE_RATES, []);

        return $this->rateFrom($exchangeQuery, $answer['result'] ?? null, $answer['updated'] ?? null);
    }

    protected function getHistoricalExchangeRate(HistoricalExchangeRateQuery $exchangeQuery): ExchangeRate
    {
        $day = ['date' => $exchangeQuery->getDate()->format('Y-m-d')];
        $answer = $this->ask('historical', $exchangeQuery, self::OPTIONS_OF_PAST_RATES, $day);

        // The rate of a Sunday is that of a Friday, and the date of a rate is the day on which it was fixed.
        return $this->rateFrom($exchangeQuery, $answer['results'] ?? null, $answer['fixed_on'] ?? $answer['date'] ?? null);
    }

    /**
     * Return what the service answers about a pair.
     *
     * @param list<string>          $names of the query's options that are parameters of the endpoint
     * @param array<string, string> $more  parameters
     *
     * @return array<string, mixed>
     */
    private function ask(string $endpoint, ExchangeRateQuery $query, array $names, array $more): array
    {
        $pair = $query->getCurrencyPair();
        $asked = ['from' => $pair->getBaseCurrency(), 'to' => $pair->getQuoteCurrency()] + $more;
        foreach ($names as $name) {
            if (null !== ($value = $query->getOption($name))) {
                $asked[$name] = (string) $value;
            }
        }
        // Clients drop this header, and not one of our own, where an answer sends them to another host.
        $key = $this->options['api_key'] ?? '';
        $headers = ['Accept' => 'application/json'] + ('' === $key ? [] : ['Authorization' => "Bearer $key"]);
        $response = $this->getResponse("{$this->options['url']}/$endpoint?" . http_build_query($asked), $headers);
        $answer = json_decode((string) $response->getBody(), true);
        $status = $response->getStatusCode();
        if (200 === $status && is_array($answer)) {
            return $answer;
        }
        $sentence = is_array($answer) ? $answer['error'] ?? null : null;

        throw new Exception(is_string($sentence) ? $sentence : $this->notCambist($status), $status);
    }

    private function rateFrom(ExchangeRateQuery $query, mixed $rates, mixed $moment): ExchangeRate
    {
        $pair = $query->getCurrencyPair();
        $rate = is_array($rates) ? $rates[$pair->getQuoteCurrency()] ?? null : null;
        if (!is_int($rate) && !is_float($rate) || !is_string($moment)) {
            throw new Exception($this->notCambist(200), 200);
        }

        return $this->createRate($pair, (float) $rate, new DateTimeImmutable($moment, new DateTimeZone('UTC')));
    }

    private function notCambist(int $status): string
    {
        return "{$this->options['url']} does not answer as Cambist does: its answer has the status $status.";
    }
}
