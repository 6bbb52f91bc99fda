import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from './command-line.ts';
import { defaultDirectory } from './vector-files.ts';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'rxlet-parity-'))));
afterEach(() => rmSync(directory, { recursive: true }));

const right = { fn: 'milliCPUToShares', input: 1000, want: 1024 };
const wrong = { fn: 'milliCPUToShares', input: 1000, want: 1025 };

function writeVectors(name: string, ...lines: readonly (object | string)[]): void {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  writeFileSync(join(directory, `${name}.jsonl.gz`), gzipSync(`${text}\n`));
}

async function run(...args: readonly string[]): Promise<{ code: number; out: string; errors: string }> {
  const out: string[] = [];
  const errors: string[] = [];
  const output = { print: (line: string) => void out.push(line), printError: (line: string) => void errors.push(line) };
  const code = await main(['--vectors', directory, ...args], output);
  return { code, out: out.join('\n'), errors: errors.join('\n') };
}

describe('npm run parity', () => {
  it('counts the passed vectors', async () => {
    writeVectors('primitives', right, right);
    expect(await run()).toEqual({ code: 0, out: 'primitives: 2 passed, 0 failed', errors: '' });
  });

  it('shows the differences between answers', async () => {
    writeVectors('primitives', right, wrong);
    const out = 'primitives: 1 passed, 1 failed\n  line 2, milliCPUToShares\n    answer: got 1024, want 1025';
    expect(await run()).toEqual({ code: 1, out, errors: '' });
  });

  it('finds one wrong field in a recorded answer', async () => {
    const podStatus = {
      name: 'doctored',
      input: {
        pod: {
          metadata: { name: 'p', namespace: 'ns' },
          spec: { containers: [{ name: 'c', image: 'i' }] },
          status: {},
        },
        runtime: { ips: [], sandboxes: [], containerStatuses: [], activeContainerIds: [] },
        readinessPassed: {},
        startupPassed: {},
        podIsTerminal: false,
        lastStartErrors: {},
      },
      want: { phase: 'Running' },
    };
    writeVectors('pod-status', podStatus);
    const { code, out } = await run();
    expect(code).toBe(1);
    expect(out).toContain('  doctored\n    phase: got "Pending", want "Running"\n');
  });

  it('shows the first twenty failures', async () => {
    writeVectors('primitives', ...Array<object>(25).fill(wrong));
    const lines = (await run()).out.split('\n');
    expect(lines[0]).toBe('primitives: 0 passed, 25 failed');
    expect(lines.filter((line) => line.includes('milliCPUToShares'))).toHaveLength(20);
    expect(lines.at(-1)).toBe('  and 5 more');
  });

  it('counts a case that throws as failed, and continues', async () => {
    writeVectors('pod-actions', { name: 'without input' });
    writeVectors('primitives', null!, { fn: 'constructor', input: 1, want: 1 }, right);
    const { code, out } = await run();
    expect(code).toBe(1);
    expect(out).toMatch(/^pod-actions: 0 passed, 1 failed\n {2}without input\n {4}failed: TypeError: /);
    expect(out).toContain('primitives: 1 passed, 2 failed\n  line 1\n    failed: TypeError: ');
    expect(out).toContain('  line 2, constructor\n    failed: Error: the function "constructor" is not supported');
  });

  it('reports a kind that is not supported', async () => {
    writeVectors('future', {});
    writeVectors('primitives', right);
    expect(await run()).toEqual({ code: 1, out: 'future: not supported\nprimitives: 1 passed, 0 failed', errors: '' });
  });

  it('runs only the requested files', async () => {
    for (const name of ['cgroups', 'future', 'primitives', 'static-pods']) writeVectors(name);
    const { code, out } = await run('--only', 'static-pods', '--only', 'primitives');
    expect({ code, out }).toEqual({ code: 0, out: 'primitives: 0 passed, 0 failed\nstatic-pods: 0 passed, 0 failed' });
  });

  it('runs the vectors of the repository by default', async () => {
    cpSync(defaultDirectory, directory, { recursive: true });
    const out: string[] = [];
    const output = { print: (line: string) => void out.push(line), printError: () => undefined };
    expect(await main(['--only', 'events'], output)).toBe(0);
    expect([(await run('--only', 'events')).out]).toEqual(out);
  });

  it('names the file and the line that is not JSON, and continues', async () => {
    writeVectors('primitives', right, '{"fn":', right);
    const { code, out } = await run();
    expect(code).toBe(1);
    expect(out).toContain('primitives: 2 passed, 1 failed');
    expect(out).toContain(`${join(directory, 'primitives.jsonl.gz')}, line 2 is not JSON: `);
  });

  it('names the file that cannot be read, and continues', async () => {
    writeFileSync(join(directory, 'events.jsonl.gz'), 'not compressed');
    writeFileSync(join(directory, 'logs.jsonl.gz'), gzipSync('{"name":"cut off"}').subarray(0, 20));
    mkdirSync(join(directory, 'pod-status.jsonl.gz'));
    writeVectors('primitives', right);
    const { code, out, errors } = await run();
    expect({ code, out }).toEqual({ code: 2, out: 'primitives: 1 passed, 0 failed' });
    for (const name of ['events', 'logs', 'pod-status']) {
      expect(errors).toContain(`cannot read ${join(directory, `${name}.jsonl.gz`)}: `);
    }
  });

  it.each<[string, string[], string]>([
    ['an unknown option', ['--verbose'], "Unknown option '--verbose'"],
    ['an argument', ['primitives'], "Unexpected argument 'primitives'"],
    ['a missing folder', ['--vectors', '/nowhere/at/all'], "no such file or directory, scandir '/nowhere/at/all'"],
    ['a missing name', ['--only', 'primitive'], 'there is no primitive.jsonl.gz in '],
  ])('rejects %s', async (_, args, message) => {
    writeVectors('primitives', right);
    const { code, out, errors } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(errors).toContain(message);
  });

  it('rejects a folder without vectors', async () => {
    writeFileSync(join(directory, 'README.md'), '');
    expect(await run()).toEqual({ code: 2, out: '', errors: `no files *.jsonl.gz in ${directory}` });
  });

  it('prints its usage', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    expect(out).toContain('Usage: npm run parity');
  });
});
