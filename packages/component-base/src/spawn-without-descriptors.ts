import { ChildProcess } from 'node:child_process';

/**
 * Makes each `spawn` fail, until its disposal, as when all file descriptors of the process are in use: the child has no streams, and its event `error` comes in the next
 * tick. The call itself does not throw.
 */
export function spawnWithoutDescriptors(): Disposable {
  const prototype = ChildProcess.prototype as unknown as { spawn(options: { readonly file: string }): number };
  const { spawn } = prototype;
  prototype.spawn = function (this: ChildProcess, { file }) {
    process.nextTick(() => this.emit('error', new Error(`spawn ${file} EMFILE`)));
    return EMFILE;
  };
  return { [Symbol.dispose]: () => void (prototype.spawn = spawn) };
}

/** Result of the engine; every negative one is an error. */
const EMFILE = -24;
