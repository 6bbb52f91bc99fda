import { once } from 'node:events';
import { seededRandom, systemClock, systemRandom } from '@rxlet/component-base';
import { serveCri, UnixSocketError, UnsupportedAddressError } from '@rxlet/cri-server';
import { createFakeRuntime, createFileStateStore } from '@rxlet/fake-cri';
import { createConsoleLogger } from './console-logger.ts';
import { routeExtras } from './extra-routes.ts';
import { parseFlags } from './flags.ts';
import { InputFileError, readInputFiles } from './input-files.ts';

/** What the command needs of its process. */
export interface Io {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Ends the server when it aborts. */
  readonly signal: AbortSignal;
}

/** Runs `fake-runtime` until `io.signal` aborts. @returns its exit code: 2 for a wrong command line or file, 1 when it cannot listen. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const parsed = parseFlags(args);
  if (parsed.kind === 'help') {
    io.stdout(parsed.text);
    return 0;
  }
  if (parsed.kind === 'error') {
    io.stderr(`fake-runtime: ${parsed.message} (see fake-runtime --help)\n`);
    return 2;
  }
  const { listen, latencyMs, stateFile, images, script, podNetwork, seed, verbosity } = parsed.flags;
  let fromFiles: Awaited<ReturnType<typeof readInputFiles>>;
  try {
    fromFiles = await readInputFiles({ images, script });
  } catch (error) {
    if (!(error instanceof InputFileError)) throw error;
    io.stderr(`fake-runtime: ${error.message}\n`);
    return 2;
  }
  const logger = createConsoleLogger(io.stderr, verbosity);
  const random = seed === undefined ? systemRandom : seededRandom(seed);
  const stateStore = stateFile === undefined ? {} : { stateStore: createFileStateStore(stateFile) };
  const fake = createFakeRuntime(
    { clock: systemClock, random, logger, ...stateStore },
    { ...fromFiles, latencyMs, podNetwork },
  );
  try {
    const server = await serveCri(fake, { listen, logger, routes: (router) => routeExtras(router, fake) });
    io.stdout(`fake runtime listening on ${server.address}\n`);
    if (!io.signal.aborted) await once(io.signal, 'abort');
    await server[Symbol.asyncDispose]();
    return 0;
  } catch (error) {
    if (!(error instanceof UnixSocketError || error instanceof UnsupportedAddressError)) throw error;
    io.stderr(`fake-runtime: ${error.message}\n`);
    return 1;
  } finally {
    await fake[Symbol.asyncDispose]();
  }
}
