// A separate process that serves on the given socket, accepts every Version and never answers; it prints a line for each.
import { startCriServer } from './test-servers.ts';

await startCriServer(process.argv[2]!, { runtime: { version: () => console.log('called') } });
console.log('serving');
