import { once } from 'node:events';
import { join, parse, resolve } from 'node:path';
import { errorMessage, seededRandom, systemClock, systemRandom } from '@rxlet/component-base';
import { type CommandIo, createConsoleLogger, runParsed, USAGE_ERROR } from '@rxlet/component-base/command';
import {
  admin,
  bootstrapTokenOf,
  bootstrapTokenSecret,
  createFakeKube,
  type FakeKube,
  type FakeKubeServer,
  nodeUser,
  serveFakeKube,
} from '@rxlet/fake-kube';
import { resources } from '@rxlet/kube-api/resources';
import { createNodeFiles } from '@rxlet/node-files';
import { createFileStateStore, StateFileError } from '@rxlet/node-files/state-file';
import { type Flags, parseFlags } from './flags.ts';
import { loadObjects, ObjectsFileError } from './load-objects.ts';

/** Runs `fake-kube` until `io.signal` aborts. @returns its exit code: 2 for a wrong command line or file, 1 when it cannot listen. */
export function run(args: readonly string[], io: CommandIo): Promise<number> {
  return runParsed('fake-kube', parseFlags(args), io, (flags) => reportErrors(flags, io));
}

/** Runs the command. An expected failure is one line on standard error. */
async function reportErrors(flags: Flags, io: CommandIo): Promise<number> {
  try {
    return await serve(flags, io);
  } catch (error) {
    const isUsage = error instanceof ObjectsFileError || error instanceof StateFileError;
    const syscall = (error as NodeJS.ErrnoException | null)?.syscall;
    if (!isUsage && syscall === undefined) throw error;
    const { host, port } = flags;
    const action = syscall === 'listen' ? `cannot listen on ${host}:${String(port)} (--listen): ` : '';
    io.stderr(`fake-kube: ${action}${errorMessage(error)}\n`);
    return isUsage ? USAGE_ERROR : 1;
  }
}

async function serve(flags: Flags, io: CommandIo): Promise<number> {
  const random = flags.seed === undefined ? systemRandom : seededRandom(flags.seed);
  const logger = createConsoleLogger(io.stderr, flags.verbosity);
  const stateStore = flags.stateFile === undefined ? undefined : createFileStateStore(flags.stateFile);
  await using kube = createFakeKube(
    { clock: systemClock, random, logger, ...(stateStore && { stateStore }) },
    {
      authorization: flags.authorization,
      latencyMs: flags.latencyMs,
      schedules: flags.schedules,
      controllers: flags.controllers,
    },
  );
  for (const path of flags.objects) await loadObjects(kube, path, flags.stateFile !== undefined);
  const { host, port, names } = flags;
  await using server = await serveFakeKube(kube, { host, port, names, logger });
  await writeFiles(kube, server, flags);
  io.stdout(`fake API server listening on ${server.url}\n`);
  if (!io.signal.aborted) await once(io.signal, 'abort');
  return 0;
}

async function writeFiles(kube: FakeKube, server: FakeKubeServer, flags: Flags): Promise<void> {
  if (flags.caFile !== undefined) await writePrivately(flags.caFile, server.caPem);
  if (flags.kubeconfig !== undefined) await writePrivately(flags.kubeconfig, await server.kubeconfig(admin));
  for (const [node, path] of Object.entries(flags.nodeKubeconfigs)) {
    await writePrivately(path, await server.kubeconfig(nodeUser(node)));
  }
  if (flags.bootstrapKubeconfig !== undefined) {
    const token = bootstrapToken(kube);
    const [id = ''] = token.split('.');
    await writePrivately(flags.bootstrapKubeconfig, server.tokenKubeconfig(`system:bootstrap:${id}`, token));
  }
}

/** Replaces a file in one step: agents read it at any time. */
async function writePrivately(path: string, text: string): Promise<void> {
  const { dir, base } = parse(resolve(path));
  await createNodeFiles({ roots: [dir] }).replaceFile(join(dir, base), text, 0o600);
}

/** Returns the bootstrap token of an earlier run, or a new one. */
function bootstrapToken({ objects }: FakeKube): string {
  const secrets = objects.list(resources.secrets, 'kube-system');
  const known = secrets.map((secret) => bootstrapTokenOf(secret, systemClock.now())).find((each) => each !== undefined);
  if (known !== undefined) return known;
  // A secret, also when the names of objects repeat.
  const [id, secret] = [systemRandom.hex(3), systemRandom.hex(8)];
  objects.apply(bootstrapTokenSecret(id, secret));
  return `${id}.${secret}`;
}
