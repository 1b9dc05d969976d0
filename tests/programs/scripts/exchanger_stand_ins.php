<?php

// Stand-ins for the parts of Exchanger that packages/php-exchanger uses, because Exchanger itself cannot be installed where
// the tests run. They have its names and signatures, and do no more than the tests need.

declare(strict_types=1);

namespace Exchanger\Contract {
    interface CurrencyPair
    {
        public function getBaseCurrency(): string;

        public function getQuoteCurrency(): string;
    }

    interface ExchangeRateQuery
    {
        public function getCurrencyPair(): CurrencyPair;

        public function getOption(string $name, mixed $default = null);
    }

    interface HistoricalExchangeRateQuery extends ExchangeRateQuery
    {
        public function getDate(): \DateTimeInterface;
    }

    interface ExchangeRate
    {
        public function getValue(): float;

        public function getDate(): \DateTimeInterface;

        public function getProviderName(): string;
    }

    interface ExchangeRateService
    {
        public function getExchangeRate(ExchangeRateQuery $exchangeQuery): ExchangeRate;

        public function supportQuery(ExchangeRateQuery $exchangeQuery): bool;

        public function getName(): string;
    }
}

namespace Exchanger\Exception {
    class Exception extends \Exception
    {
    }
}

namespace Exchanger {
    final class Pair implements Contract\CurrencyPair
    {
        public function __construct(private string $base, private string $quote)
        {
        }

        public function getBaseCurrency(): string
        {
            return $this->base;
        }

        public function getQuoteCurrency(): string
        {
            return $this->quote;
        }
    }

    class Query implements Contract\ExchangeRateQuery
    {
        public function __construct(private Pair $pair, private array $options)
        {
        }

        public function getCurrencyPair(): Contract\CurrencyPair
        {
            return $this->pair;
        }

        public function getOption(string $name, mixed $default = null)
        {
            return $this->options[$name] ?? $default;
        }
    }

    final class PastQuery extends Query implements Contract\HistoricalExchangeRateQuery
    {
        public function __construct(Pair $pair, private \DateTimeInterface $day, array $options)
        {
            parent::__construct($pair, $options);
        }

        public function getDate(): \DateTimeInterface
        {
            return $this->day;
        }
    }

    final class ExchangeRate implements Contract\ExchangeRate
    {
        public function __construct(
            public readonly Contract\CurrencyPair $pair,
            private float $value,
            private \DateTimeInterface $date,
            private string $provider,
        ) {
        }

        public function getValue(): float
        {
            return $this->value;
        }

        public function getDate(): \DateTimeInterface
        {
            return $this->date;
        }

        public function getProviderName(): string
        {
            return $this->provider;
        }
    }
}

namespace Exchanger\Service {
    use Exchanger\Contract;
    use Exchanger\ExchangeRate;
    use Psr\Http\Client\ClientInterface;
    use Psr\Http\Message\RequestFactoryInterface;
    use Psr\Http\Message\ResponseInterface;

    abstract class HttpService implements Contract\ExchangeRateService
    {
        protected $options = [];

        public function __construct(
            private ClientInterface $client,
            private RequestFactoryInterface $factory,
            array $options = [],
        ) {
            $this->processOptions($options);
            $this->options = $options;
        }

        public function processOptions(array &$options): void
        {
        }

        protected function getResponse($url, array $headers = []): ResponseInterface
        {
            $request = $this->factory->createRequest('GET', $url);
            foreach ($headers as $name => $value) {
                $request = $request->withHeader($name, $value);
            }

            return $this->client->sendRequest($request);
        }

        protected function createRate(Contract\CurrencyPair $pair, float $rate, \DateTimeInterface $date): ExchangeRate
        {
            return new ExchangeRate($pair, $rate, $date, $this->getName());
        }
    }

    trait SupportsHistoricalQueries
    {
        public function getExchangeRate(Contract\ExchangeRateQuery $exchangeQuery): Contract\ExchangeRate
        {
            return $exchangeQuery instanceof Contract\HistoricalExchangeRateQuery
                ? $this->getHistoricalExchangeRate($exchangeQuery)
                : $this->getLatestExchangeRate($exchangeQuery);
        }

        abstract protected function getLatestExchangeRate(Contract\ExchangeRateQuery $exchangeQuery): Contract\ExchangeRate;

        abstract protected function getHistoricalExchangeRate(
            Contract\HistoricalExchangeRateQuery $exchangeQuery
        ): Contract\ExchangeRate;
    }
}
