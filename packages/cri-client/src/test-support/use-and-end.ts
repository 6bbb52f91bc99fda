// A separate process that uses all parts of a client at once and closes it. It exits by itself, unless the client left something behind.
import { systemClock, systemRandom } from '@rxlet/component-base';
import { createCriClient, CriError } from '../index.ts';

const [runtimeSocket, missingSocket] = process.argv.slice(2);
const client = createCriClient(
  { clock: systemClock, random: systemRandom },
  { endpoint: `unix://${runtimeSocket!}`, imageEndpoint: `unix://${missingSocket!}` },
);
const kindOf = (error: unknown): string => (error instanceof CriError ? error.kind : String(error));

const { runtimeName } = await client.runtime.version({});
console.log(runtimeName);
console.log(await client.images.listImages({}).then(() => 'listed', kindOf));
const events = client.runtime.getContainerEvents({})[Symbol.asyncIterator]();
await events.next();
const hanging = Promise.allSettled([events.next(), client.runtime.status({}), client.runtime.execSync({})]);
await client[Symbol.asyncDispose]();
for (const outcome of await hanging) console.log(outcome.status === 'rejected' ? kindOf(outcome.reason) : 'answered');
