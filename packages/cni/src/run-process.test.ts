import { ChildProcess } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { runProcess } from './run-process.ts';

describe('runProcess', () => {
  it('rejects when no descriptor is left for the program', async () => {
    // Node creates no streams then, and reports the error in the next tick.
    const prototype = ChildProcess.prototype as unknown as { spawn(): number };
    const spawned = vi.spyOn(prototype, 'spawn').mockImplementation(function (this: ChildProcess) {
      process.nextTick(() => this.emit('error', new Error('spawn bridge EMFILE')));
      return -24;
    });
    const request = { path: '/opt/cni/bin/bridge', environment: {}, stdin: '', maxOutputBytes: 1024 };
    const end = runProcess(request, new AbortController().signal);
    spawned.mockRestore();
    await expect(end).rejects.toThrow('spawn bridge EMFILE');
  });
});
