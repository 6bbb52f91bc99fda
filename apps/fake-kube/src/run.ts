import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { errorMessage, seededRandom, systemClock, systemRandom } from '@rxlet/component-base';
import { type CommandIo, createConsoleLogger } from '@rxlet/component-base/command';
import { admin, createFakeKube, type FakeKubeServer, nodeUser, serveFakeKube, type User } from '@rxlet/fake-kube';
import { type Flags, parseFlags } from './flags.ts';
import { loadObjects, ObjectsFileError } from './load-objects.ts';

/** Exit code of a command line, or a file that it names, that cannot be used. */
const USAGE_ERROR = 2;

/** The user of a bootstrap token. */
const bootstrapper: User = {
  name: 'system:bootstrap:fake',
  groups: ['system:bootstrappers', 'system:bootstrappers:kubeadm:default-node-token', 'system:authenticated'],
};

/** Runs `fake-kube` until `io.signal` aborts. @returns its exit code: 2 for a wrong command line or file, 1 when it cannot listen. */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const parsed = parseFlags(args);
  if (parsed.kind === 'help') {
    io.stdout(parsed.text);
    return 0;
  }
  if (parsed.kind === 'error') {
    io.stderr(`fake-kube: ${parsed.message} (see fake-kube --help)\n`);
    return USAGE_ERROR;
  }
  try {
    return await serve(parsed.flags, io);
  } catch (error) {
    const isUsage = error instanceof ObjectsFileError;
    const isSystem = (error as NodeJS.ErrnoException | null)?.syscall !== undefined;
    if (!isUsage && !isSystem) throw error;
    io.stderr(`fake-kube: ${errorMessage(error)}\n`);
    return isUsage ? USAGE_ERROR : 1;
  }
}

async function serve(flags: Flags, io: CommandIo): Promise<number> {
  const random = flags.seed === undefined ? systemRandom : seededRandom(flags.seed);
  // A secret, also when the names of objects repeat.
  const bootstrapToken = `${systemRandom.hex(3)}.${systemRandom.hex(8)}`;
  const logger = createConsoleLogger(io.stderr, flags.verbosity);
  await using kube = createFakeKube(
    { clock: systemClock, random, logger },
    { authorization: flags.authorization, latencyMs: flags.latencyMs, tokens: { [bootstrapToken]: bootstrapper } },
  );
  for (const path of flags.objects) await loadObjects(kube, path);
  const { host, port, names } = flags;
  await using server = await serveFakeKube(kube, { host, port, names, logger });
  await writeKubeconfigs(server, flags, bootstrapToken);
  io.stdout(`fake API server listening on ${server.url}\n`);
  if (!io.signal.aborted) await once(io.signal, 'abort');
  return 0;
}

async function writeKubeconfigs(server: FakeKubeServer, flags: Flags, bootstrapToken: string): Promise<void> {
  const write = (path: string, text: string): Promise<void> => writeFile(path, text, { mode: 0o600 });
  if (flags.kubeconfig !== undefined) await write(flags.kubeconfig, await server.kubeconfig(admin));
  for (const [node, path] of Object.entries(flags.nodeKubeconfigs)) {
    await write(path, await server.kubeconfig(nodeUser(node)));
  }
  if (flags.bootstrapKubeconfig !== undefined) {
    await write(flags.bootstrapKubeconfig, server.tokenKubeconfig(bootstrapper.name, bootstrapToken));
  }
}
