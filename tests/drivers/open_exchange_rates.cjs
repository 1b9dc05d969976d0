// open-exchange-rates with money. node open_exchange_rates.cjs ADDRESS KEY
const oxr = require("open-exchange-rates");
const fx = require("money");

oxr.set({ app_id: process.argv[3] });
oxr.api_url = `${process.argv[2]}/api/`;
oxr.latest((error) => {
  if (error) throw error;
  fx.rates = oxr.rates;
  fx.base = oxr.base;
  const latest = { base: oxr.base, rates: oxr.rates, converted: fx(100).from("EUR").to("GBP") };
  oxr.historical("2024-02-29", (failed) => {
    if (failed) throw failed;
    console.log(JSON.stringify({ ...latest, historical: oxr.rates }));
    process.exit();
  });
});
