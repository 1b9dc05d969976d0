<?php

// Ask for rates: php run_php_exchanger.php SERVICE.php QUESTIONS. QUESTIONS is JSON, a list of objects with url, api_key,
// base, quote, day (or null) and options. Writes the answers as JSON: value, date and provider, or error, class and code.

declare(strict_types=1);

require 'Psr/Http/Client/autoload.php';
require 'Nyholm/Psr7/autoload.php';
require 'Symfony/Component/HttpClient/autoload.php';
require __DIR__ . '/exchanger_stand_ins.php';
require $argv[1];

function answer(array $asked): array
{
    $factory = new Nyholm\Psr7\Factory\Psr17Factory();
    $client = new Symfony\Component\HttpClient\Psr18Client(null, $factory, $factory);
    $options = array_filter(['url' => $asked['url'], 'api_key' => $asked['api_key']]);
    $pair = new Exchanger\Pair($asked['base'], $asked['quote']);
    try {
        $service = new Cambist\Exchanger\CambistService($client, $factory, $options);
        $query = null === $asked['day']
            ? new Exchanger\Query($pair, $asked['options'])
            : new Exchanger\PastQuery($pair, new DateTimeImmutable($asked['day']), $asked['options']);
        $rate = $service->getExchangeRate($query);
    } catch (Exception $error) {
        return ['error' => $error->getMessage(), 'class' => $error::class, 'code' => $error->getCode()];
    }

    return [
        'value' => $rate->getValue(),
        'date' => $rate->getDate()->format('Y-m-d\TH:i:s\Z'),
        'provider' => $rate->getProviderName(),
        'supported' => $service->supportQuery($query),
    ];
}

echo json_encode(array_map('answer', json_decode($argv[2], true)), JSON_THROW_ON_ERROR), "\n";
