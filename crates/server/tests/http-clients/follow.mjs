// Follows each address of a JSON list on standard input with fetch, and prints the answers as another.
// Names below .example are this machine.

import dns from "node:dns";
import { text } from "node:stream/consumers";

const { lookup } = dns;
dns.lookup = (host, options, done) =>
  lookup(host.endsWith(".example") ? "127.0.0.1" : host, options, done);

const answers = [];
for (const address of JSON.parse(await text(process.stdin))) {
  const answer = await fetch(address).then((answer) => answer.text(), String);
  answers.push(answer);
}
console.log(JSON.stringify(answers));
