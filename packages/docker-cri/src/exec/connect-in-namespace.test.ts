import { ChildProcess } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { connectInNamespace } from './connect-in-namespace.ts';

describe('connectInNamespace', () => {
  it('rejects when no descriptor is left for the helper process', async () => {
    // Node creates no streams then, and reports the error in the next tick.
    const prototype = ChildProcess.prototype as unknown as { spawn(): number };
    const spawned = vi.spyOn(prototype, 'spawn').mockImplementation(function (this: ChildProcess) {
      process.nextTick(() => this.emit('error', new Error('spawn nsenter EMFILE')));
      return -24;
    });
    const connection = connectInNamespace(process.pid, 80);
    spawned.mockRestore();
    await expect(connection).rejects.toThrow('spawn nsenter EMFILE');
  });
});
