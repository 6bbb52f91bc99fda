/** `npm run parity`: see command-line.ts. */
import { main } from './command-line.ts';

process.exitCode = await main(process.argv.slice(2), {
  print: (line) => void process.stdout.write(`${line}\n`),
  printError: (line) => void process.stderr.write(`${line}\n`),
});
