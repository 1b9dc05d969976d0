// easy-currencies: once with its own provider, whose host is fixed, and once with one of our own.
// node easy_currencies.cjs ADDRESS
const { Converter } = require("easy-currencies");

async function main(address) {
  const fixed = new Converter("Frankfurter");
  const own = new Converter();
  let asked = 0;
  own.add("Cambist", {
    endpoint: { base: `${address}/v1/latest?base=`, single: "%FROM%" },
    key: undefined,
    handler: (data) => { asked += 1; return data.rates; },
    errors: { 404: "Currency not found" },
    errorHandler: (data) => data.status,
  }, true);
  const converted = [await fixed.convert(10, "EUR", "JPY"), await own.convert(10, "EUR", "JPY")];
  console.log(JSON.stringify({ converted, asked }));
}

main(process.argv[2]);
