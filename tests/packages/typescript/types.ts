// What the compiler must accept and refuse. Each line after `@ts-expect-error` is an error, or the compiler complains.

import { Cambist, type ConvertParams, type FetchOneAnswer } from "cambist-client";

const client = new Cambist({ url: "http://127.0.0.1:8000", key: "cmb_…" });

export async function asked(): Promise<readonly unknown[]> {
  const one: FetchOneAnswer = await client.fetchOne({ from: "EUR", to: "USD" });
  const rate: number | undefined = one.result["USD"];
  const csv: string = await client.table("/historical", "csv", { date: "2024-03-01" });
  const file: ArrayBuffer = await client.table("/historical", "parquet", { date: "2024-03-01" });
  const exact: ConvertParams = { from: "EUR", to: "USD", amount: "12345678901234567890.12", precision: "currency" };
  await client.fetchMulti({ from: "EUR", to: ["USD", "GBP"] });
  // @ts-expect-error `to` is missing
  await client.fetchMulti({ from: "EUR" });
  // @ts-expect-error there is no such parameter
  await client.fetchOne({ from: "EUR", target: "USD" });
  // @ts-expect-error it is not one of the intervals
  await client.fxOhlcTimeSeries({ pair: "EURUSD", interval: "PT5M" });
  // @ts-expect-error this endpoint has no tables
  await client.table("/fetch-one", "csv", {});
  // @ts-expect-error answers are not to be changed
  one.base = "USD";
  // @ts-expect-error an alert needs a way of delivery
  await client.alertsAdd({ when: "above" });
  return [rate, csv, file, exact];
}
