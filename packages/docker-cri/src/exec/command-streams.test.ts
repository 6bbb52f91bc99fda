import { Duplex, Writable } from 'node:stream';
import { atEndOfTurn, noopLogger } from '@rxlet/component-base';
import { STREAM_SUCCESS } from '@rxlet/streaming';
import { describe, expect, it } from 'vitest';
import type { Backend } from '../backend.ts';
import { streamAttach } from './command-streams.ts';

const { signal } = new AbortController();

describe('streamAttach', () => {
  it('keeps no listeners for the pauses of a client that reads slowly', async () => {
    const chunks = Array.from({ length: 100 }, () => Buffer.from('output'));
    const backend = {
      engine: { hijack: async () => Duplex.from(chunks) },
      lifetime: { signal },
      logger: noopLogger,
    } as unknown as Backend;
    const stdout = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => atEndOfTurn(done) });
    const before = [stdout.listenerCount('close'), stdout.listenerCount('error')];
    const options = { containerId: 'c1', tty: true, stdin: false, stdout: true, stderr: false };
    const streams = { stdin: undefined, stdout, stderr: undefined, signal, onResize: () => undefined };
    expect(await streamAttach(backend, options, streams)).toBe(STREAM_SUCCESS);
    expect([stdout.listenerCount('close'), stdout.listenerCount('error')]).toEqual(before);
  });
});
