import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const RXLET = fileURLToPath(new URL('../../bin/rxlet', import.meta.url));

/** `rxlet ui` as its users run it. Disposing of it interrupts it. */
export interface UiProcess extends AsyncDisposable {
  /** Address that opens the page, once. */
  readonly address: string;
  readonly pid: number;
  readonly output: () => string;
}

/** Starts `rxlet ui` for the agent with this root directory, and waits for its address. */
export async function startUi(rootDirectory: string, ...flags: string[]): Promise<UiProcess> {
  const child = spawn(RXLET, ['--root-dir', rootDirectory, 'ui', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const address = await new Promise<string>((resolve, reject) => {
    const read = (data: Buffer): void => {
      output += data.toString();
      const found = /^http:\S+(?=\n)/m.exec(output)?.[0];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('close', () => reject(new Error(`rxlet ui has ended: ${output}`)));
  });
  return {
    address,
    pid: child.pid!,
    output: () => output,
    async [Symbol.asyncDispose]() {
      child.kill('SIGINT');
      await ended;
    },
  };
}
