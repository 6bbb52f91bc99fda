import { describe, expect, it } from 'vitest';
import { execResultAt, planAttempt, replacesCommand, responseAt, usageOf } from './plan.ts';

describe('a plan', () => {
  it('is that of the attempt, or of the last one, over the common fields', () => {
    const script = { runSeconds: 5, exitCode: 1, attempts: [{}, { exitCode: 2 }, { runSeconds: 3600 }] };
    expect([0, 1, 2, 9].map((attempt) => planAttempt(script, attempt))).toEqual([
      { runSeconds: 5, exitCode: 1 },
      { runSeconds: 5, exitCode: 2 },
      { runSeconds: 3600, exitCode: 1 },
      { runSeconds: 3600, exitCode: 1 },
    ]);
    expect(planAttempt({ exitCode: 4 }, 7)).toEqual({ exitCode: 4 });
  });

  it('replaces the command only when it has fields of a program', () => {
    expect([{ exitCode: 0 }, { log: [] }, { oomKillAfterSeconds: 1 }, { ports: [] }].map(replacesCommand)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('has the results of a command, changing over time', () => {
    const plan = {
      exec: [
        {
          command: ['check'],
          results: [
            { afterSeconds: 1, exitCode: 1 },
            { afterSeconds: 2, stdout: 'ok' },
          ],
        },
      ],
    };
    expect([0, 1000, 1999, 2000].map((ms) => execResultAt(plan, ['check'], ms))).toEqual([
      undefined,
      { afterSeconds: 1, exitCode: 1 },
      { afterSeconds: 1, exitCode: 1 },
      { afterSeconds: 2, stdout: 'ok' },
    ]);
    expect(execResultAt(plan, ['check', 'more'], 5000)).toBeUndefined();
  });

  it('has the responses of a path, changing over time', () => {
    const responses = [{ path: '/live' }, { status: 503, path: '/ready' }, { afterSeconds: 3, status: 204 }];
    expect(responseAt(responses, '/ready?x=1', 0)).toMatchObject({ status: 503 });
    expect(responseAt(responses, '/ready', 3000)).toMatchObject({ status: 204 });
    expect(responseAt(responses, '/other', 0)).toBeUndefined();
  });

  it('has the resource usage', () => {
    const usage = [
      { cpuMillis: 5, memoryBytes: 10 },
      { afterSeconds: 60, cpuMillis: 50, memoryBytes: 99 },
    ];
    expect(usageOf({ usage })).toEqual([
      { afterMs: 0, cpuMillis: 5, memoryBytes: 10n },
      { afterMs: 60_000, cpuMillis: 50, memoryBytes: 99n },
    ]);
    expect(usageOf({})).toBeUndefined();
  });
});
