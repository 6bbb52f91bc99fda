import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const FAKE_RUNTIME = fileURLToPath(new URL('../../../fake-runtime/bin/fake-runtime', import.meta.url));

/** The program `fake-runtime`. Disposing of it ends it. */
export interface FakeRuntimeProcess extends AsyncDisposable {
  /** Value of `--container-runtime-endpoint`. */
  readonly endpoint: string;
}

/** Starts `fake-runtime` with its socket in `folder`, to which its files are confined, and waits until it listens. */
export async function startFakeRuntime(folder: string, ...flags: string[]): Promise<FakeRuntimeProcess> {
  const socket = `${folder}/runtime.sock`;
  const child = spawn(FAKE_RUNTIME, ['--listen', socket, '--sandbox-root', folder, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const read = (data: Buffer): void => {
      output += data.toString();
      if (output.includes('listening')) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('close', () => reject(new Error(`the fake runtime has ended: ${output}`)));
  });
  return {
    endpoint: `unix://${socket}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
