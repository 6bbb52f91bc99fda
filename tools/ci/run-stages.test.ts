import { tmpdir } from 'node:os';
import { atEndOfTurn, onAbort } from '@rxlet/component-base';
import { describe, expect, it } from 'vitest';
import { runStages, type StepResult } from './run-stages.ts';
import { runStep } from './run-step.ts';
import type { Stage, Step } from './step.ts';

const step = (name: string, command = ''): Step => ({ name, command });

/** Steps that end when the test says so. */
function createBench(stages: readonly Stage[]) {
  const pending = new Map<string, (result: StepResult) => void>();
  const cancel = new AbortController();
  let output = '';
  const finished = runStages(
    stages,
    {
      run: ({ name }, signal) =>
        new Promise((resolve) => {
          pending.set(name, resolve);
          onAbort(signal, () => resolve({ exitCode: 143, seconds: 1, log: '' }));
        }),
      print: (text) => (output += text),
    },
    cancel.signal,
  );
  return {
    cancel,
    finished,
    started: () => [...pending.keys()],
    output: () => output,
    async end(name: string, exitCode = 0, log = ''): Promise<void> {
      pending.get(name)!({ exitCode, seconds: 2, log });
      await new Promise<void>((resolve) => {
        atEndOfTurn(resolve);
      });
    },
  };
}

describe('runStages', () => {
  it('runs the lanes of a stage side by side, and the next stage after all of them', async () => {
    const bench = createBench([[[step('types'), step('sync')], [step('lint')]], [[step('tests')]]]);
    expect(bench.started()).toEqual(['types', 'lint']);
    await bench.end('types');
    expect(bench.started()).toEqual(['types', 'lint', 'sync']);
    await bench.end('sync');
    expect(bench.started()).not.toContain('tests');
    await bench.end('lint');
    await bench.end('tests');
    expect(await bench.finished).toBe(true);
  });

  it('names an advisory step that fails at the end, and passes', async () => {
    const bench = createBench([[[{ ...step('search'), isAdvisory: true }, step('tests')]], [[step('build')]]]);
    await bench.end('search', 1, 'seed 7 fails');
    await bench.end('tests');
    await bench.end('build');
    expect(await bench.finished).toBe(true);
    expect(bench.output()).toMatch(/seed 7 fails[^]*found defects, see its log: search\n$/);
  });

  it('prints the whole log of a step when it ends', async () => {
    const bench = createBench([[[step('types')], [step('lint')]]]);
    await bench.end('lint', 0, 'no problems');
    expect(bench.output()).toBe('-- types started\n-- lint started\n\n== lint (2 s)\nno problems\n');
    await bench.end('types');
    await bench.finished;
  });

  it('stops at the first failure and names it at the end', async () => {
    const bench = createBench([[[step('types'), step('sync')], [step('lint')]], [[step('tests')]]]);
    await bench.end('lint', 2, 'one problem\n');
    expect(await bench.finished).toBe(false);
    expect(bench.started()).toEqual(['types', 'lint']);
    expect(bench.output()).toContain('== lint (2 s, failed with exit code 2)\none problem\n');
    expect(bench.output()).toContain('== types (1 s, stopped)\n');
    expect(bench.output()).toMatch(/\nfailed: lint\n$/);
  });

  it('stops when it is cancelled', async () => {
    const bench = createBench([[[step('types')]], [[step('tests')]]]);
    bench.cancel.abort();
    expect(await bench.finished).toBe(false);
    expect(bench.started()).toEqual(['types']);
  });
});

describe('runStep', () => {
  it('returns the exit code and both outputs in their order', async () => {
    const signal = new AbortController().signal;
    const result = await runStep(step('fails', 'echo out\necho err >&2\nfalse\necho unreachable'), tmpdir(), signal);
    expect(result).toMatchObject({ exitCode: 1, log: 'out\nerr\n' });
  });

  it('ends the processes of an aborted step', async () => {
    const abort = new AbortController();
    const result = runStep(step('hangs', 'sleep 1000 & sleep 1000'), tmpdir(), abort.signal);
    abort.abort();
    expect((await result).exitCode).not.toBe(0);
  });
});
