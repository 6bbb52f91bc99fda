import { Duplex } from 'node:stream';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { StatusCode } from '@rxlet/cri-api';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { DockerEngine } from '../engine/docker-engine.ts';
import { execSync } from './exec-sync.ts';

/** A command in a container that closes its output at once, as `sh -c 'program > /dev/null 2>&1'` does, and ends later. */
function setUp({ endsAfterMs, output = [] }: { readonly endsAfterMs: number; readonly output?: readonly Buffer[] }) {
  const clock = createVirtualClock();
  const startMs = clock.monotonicNow();
  const killed: number[] = [];
  let reads = 0;
  const engine = {
    async json(method: string) {
      if (method === 'POST') return { Id: 'e' };
      reads += 1;
      const isRunning = clock.monotonicNow() - startMs < endsAfterMs;
      return { Running: isRunning, ExitCode: isRunning ? null : 3, Pid: 7 };
    },
    hijack: async () => Duplex.from(output),
  } as unknown as DockerEngine;
  const host = { killProcess: (pid: number) => void killed.push(pid) } as Parameters<typeof execSync>[0]['host'];
  const exec = (timeoutSeconds: number) =>
    execSync({ engine, clock, host }, 'c', ['sh'], timeoutSeconds, new AbortController().signal);
  return { clock, exec, killed, reads: () => reads };
}

describe('a command that closes its output before its end', () => {
  it.each([
    ['without a timeout', 0],
    ['with a timeout', 60],
  ])('runs to its end %s', async (_, timeoutSeconds) => {
    const { clock, exec, killed, reads } = setUp({ endsAfterMs: 30_000 });
    const result = exec(timeoutSeconds);
    result.catch(() => undefined);
    await clock.advance(31_000);
    expect(await result).toMatchObject({ exitCode: 3 });
    expect(killed).toEqual([]);
    expect(reads()).toBeLessThan(100);
  });

  it('is killed at its timeout', async () => {
    const { clock, exec, killed } = setUp({ endsAfterMs: Infinity });
    const failed = expect(exec(5)).rejects.toMatchObject({
      code: StatusCode.DeadlineExceeded,
      message: 'command "sh" timed out: no end within 5 s',
    });
    await clock.advance(5_000);
    await failed;
    expect(killed).toEqual([7]);
  });
});

describe('the output of a command', () => {
  const frame = (stream: number, text: string): Buffer => {
    const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
    header.writeUInt32BE(text.length, 4);
    return Buffer.concat([header, Buffer.from(text)]);
  };
  afterEach(() => vi.restoreAllMocks());

  it('is in one piece, although the command writes single bytes', async () => {
    const written = Array.from({ length: 10_000 }, (_, index) => frame(1 + (index % 2), String(index % 10)));
    const { exec } = setUp({ endsAfterMs: 0, output: [Buffer.concat(written)] });
    const joined = vi.spyOn(Buffer, 'concat');
    const { stdout, stderr } = await exec(0);
    expect(Buffer.from(stdout).toString()).toBe('02468'.repeat(1000));
    expect(Buffer.from(stderr).toString()).toBe('13579'.repeat(1000));
    expect(Math.max(...joined.mock.calls.map(([pieces]) => pieces.length))).toBe(1);
  });

  it('ends at 16 MiB', async () => {
    const output = Array.from({ length: 17 }, (_, index) => frame(1, String(index % 10).repeat(2 ** 20)));
    const { stdout } = await setUp({ endsAfterMs: 0, output }).exec(0);
    expect([stdout.length, stdout.at(-1)]).toEqual([2 ** 24, '5'.charCodeAt(0)]);
  });
});
