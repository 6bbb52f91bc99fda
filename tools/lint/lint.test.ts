import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ESLint } from 'eslint';
import { beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Existing files whose text the tests replace: types and layers are looked up by the path of a file. */
const SUBSYSTEM = 'packages/pleg/src/index.ts';
const SUBSYSTEM_TEST = testOf('packages/pleg');
const FOUNDATION = 'packages/component-base/src/backoff.ts';
const FOUNDATION_TEST = testOf('packages/kube-api');

function testOf(folder: string): string {
  const test = readdirSync(join(root, folder, 'src')).find((name) => name.endsWith('.test.ts'));
  if (test === undefined) throw new Error(`${folder} has no test to lint`);
  return `${folder}/src/${test}`;
}

let eslint: ESLint;
beforeAll(() => {
  eslint = new ESLint({
    cwd: root,
    overrideConfigFile: 'tools/lint/eslint.config.js',
    // A single run would read each file from the disk instead of the given text, as typescript-eslint does when CI is set.
    overrideConfig: [
      { files: ['**/*.ts'], languageOptions: { parserOptions: { disallowAutomaticSingleRunInference: true } } },
    ],
  });
});

/** Returns the rules that each line of `lines` breaks, as part of `file`, after the lines of `header`. */
async function lint(
  file: string,
  header: readonly string[],
  lines: readonly string[],
): Promise<Map<string, (string | null)[]>> {
  const [result] = await eslint.lintText([...header, ...lines, ''].join('\n'), { filePath: join(root, file) });
  const messages = result!.messages.map(({ line, ruleId, message }) => ({
    text: lines[line - header.length - 1],
    ruleId,
    message,
  }));
  expect(messages.filter(({ text }) => text === undefined)).toEqual([]);
  return new Map(lines.map((line) => [line, messages.filter(({ text }) => text === line).map(({ ruleId }) => ruleId)]));
}

interface Suite {
  readonly file: string;
  readonly header?: readonly string[];
  /** Rule → lines that break it, and no other. */
  readonly rejected: Readonly<Record<string, readonly string[]>>;
  /** Lines that break no rule. */
  readonly allowed: readonly string[];
}

function suite(name: string, { file, header = [], rejected, allowed }: Suite): void {
  describe(name, () => {
    let broken: Map<string, (string | null)[]>;
    beforeAll(async () => {
      broken = await lint(file, header, [...Object.values(rejected).flat(), ...allowed]);
    }, 120_000);
    for (const [rule, lines] of Object.entries(rejected)) {
      it.each(lines)(`${rule} rejects %s`, (line) => {
        expect(broken.get(line)).toEqual([rule]);
      });
    }
    it.each(allowed)('passes %s', (line) => {
      expect(broken.get(line)).toEqual([]);
    });
  });
}

suite('time and randomness', {
  file: SUBSYSTEM,
  header: [
    "import type { Clock, Random } from '@rxlet/component-base';",
    'declare const clock: Clock;',
    'declare const random: Random;',
  ],
  rejected: {
    'no-restricted-properties': [
      'Date.now();',
      'export const { now } = Date;',
      'AbortSignal.timeout(100);',
      'Math.random();',
      'process.hrtime();',
      'process.hrtime.bigint();',
      'process.uptime();',
      'crypto.randomUUID();',
      'globalThis.crypto.randomUUID();',
      'crypto.getRandomValues(new Uint8Array(8));',
    ],
    'no-restricted-syntax': [
      'new Date();',
      'export const date = Date();',
      "void import('node:timers/promises');",
      "void import('timers');",
    ],
    'no-restricted-globals': [
      'setTimeout(() => undefined, 100);',
      'globalThis.setTimeout(() => undefined, 100);',
      'global.setTimeout(() => undefined, 100);',
      'setInterval(() => undefined, 100);',
      'setImmediate(() => undefined);',
      'performance.now();',
      'globalThis.performance.now();',
    ],
    'no-restricted-imports': [
      "export { setTimeout as wait1 } from 'node:timers/promises';",
      "import 'node:timers/promises';",
      "import 'timers/promises';",
      "import 'node:timers';",
      "export { performance as performance1 } from 'node:perf_hooks';",
      "export { hrtime as hrtime1 } from 'node:process';",
      "export { randomUUID as uuid1 } from 'node:crypto';",
      "export { randomUUID as uuid2 } from 'crypto';",
      "export { randomBytes as bytes1 } from 'node:crypto';",
      "export { webcrypto as crypto1 } from 'node:crypto';",
    ],
  },
  allowed: [
    'new Date(0);',
    'new Date(clock.now()).toISOString();',
    'Date.UTC(2026, 0, 1);',
    "Date.parse('2026-01-01');",
    'new AbortController();',
    'AbortSignal.any([]);',
    'clock.setTimer(100, () => undefined);',
    'Math.max(random.next(), 0.5);',
    'queueMicrotask(() => undefined);',
    'process.cwd();',
    "export { createHash as hash1 } from 'node:crypto';",
  ],
});

// Each in a text of its own, because their imports have the same name.
suite('randomness by the default import', {
  file: SUBSYSTEM,
  rejected: {
    'no-restricted-imports': ["import crypto from 'node:crypto';"],
    'no-restricted-properties': ['crypto.randomUUID();'],
  },
  allowed: ["crypto.createHash('sha256');"],
});
suite('randomness by a default import of another name', {
  file: SUBSYSTEM,
  rejected: {
    'no-restricted-imports': ["import hidden from 'node:crypto';"],
    'no-restricted-properties': ['hidden.randomUUID();'],
  },
  allowed: [],
});
suite('randomness by the namespace', {
  file: SUBSYSTEM,
  rejected: {
    'no-restricted-imports': ["import * as crypto from 'node:crypto';"],
    'no-restricted-properties': ['crypto.randomBytes(8);'],
  },
  allowed: [],
});

suite('RxJS', {
  file: SUBSYSTEM,
  header: [
    "import * as rx from 'rxjs';",
    'import {',
    '  auditTime, bufferTime, debounceTime, delay, interval, interval as every, map, NEVER, of, repeat, retry, sampleTime,',
    '  share, shareReplay, throttleTime, timeInterval, timeout, timer, timestamp, windowTime,',
    "} from 'rxjs';",
    "import type { RetryConfig, SchedulerLike } from 'rxjs';",
    "import type { Clock } from '@rxlet/component-base';",
    'declare const clock: Clock;',
    'declare const periodMs: number;',
    'declare const perhaps: SchedulerLike | undefined;',
    'declare const unknownDelay: RetryConfig;',
  ],
  rejected: {
    'rxlet/rxjs-explicit-scheduler': [
      'interval(1000);',
      'interval(1000, undefined);',
      'interval(1000, perhaps);',
      'every(1000);',
      'rx.interval(1000);',
      'timer(1000);',
      'timer(1000, 500);',
      'timer(1000, periodMs);',
      'timer(new Date(0));',
      'of(1).pipe(delay(10));',
      'of(1).pipe(delay(periodMs));',
      'of(1).pipe(debounceTime(10));',
      'of(1).pipe(auditTime(10));',
      'of(1).pipe(sampleTime(10));',
      'of(1).pipe(throttleTime(10));',
      'of(1).pipe(throttleTime(10, undefined, { trailing: true }));',
      'of(1).pipe(bufferTime(10));',
      'of(1).pipe(bufferTime(10, null, 5));',
      'of(1).pipe(windowTime(10));',
      'of(1).pipe(timeInterval());',
      'of(1).pipe(timestamp());',
      'of(1).pipe(timeout(10));',
      'of(1).pipe(timeout({ each: 10 }));',
      'of(1).pipe(retry({ delay: 100 }));',
      'of(1).pipe(retry({ count: 3, delay: periodMs }));',
      'of(1).pipe(retry(unknownDelay));',
      'of(1).pipe(repeat({ delay: 100 }));',
      'of(1).pipe(shareReplay(1, 1000));',
      'of(1).pipe(shareReplay({ refCount: true, windowTime: 1000 }));',
      'rx.asyncScheduler.now();',
      "export { asyncScheduler as real1 } from 'rxjs';",
      "import { asyncScheduler as real2 } from 'rxjs'; real2.now();",
      "import { asapScheduler as real3 } from 'rxjs'; real3.now();",
    ],
  },
  allowed: [
    'interval(1000, clock.scheduler);',
    'every(1000, clock.scheduler);',
    'rx.interval(1000, clock.scheduler);',
    'timer(1000, clock.scheduler);',
    'timer(1000, periodMs, clock.scheduler);',
    'of(1).pipe(delay(10, clock.scheduler));',
    'of(1).pipe(debounceTime(10, clock.scheduler));',
    'of(1).pipe(auditTime(10, clock.scheduler));',
    'of(1).pipe(sampleTime(10, clock.scheduler));',
    'of(1).pipe(throttleTime(10, clock.scheduler, { trailing: true }));',
    'of(1).pipe(bufferTime(10, clock.scheduler));',
    'of(1).pipe(bufferTime(10, null, 5, clock.scheduler));',
    'of(1).pipe(windowTime(10, clock.scheduler));',
    'of(1).pipe(timeInterval(clock.scheduler));',
    'of(1).pipe(timestamp(clock));',
    'of(1).pipe(timeout(10, clock.scheduler));',
    'of(1).pipe(timeout({ each: 10, scheduler: clock.scheduler }));',
    'of(1).pipe(retry(3));',
    'of(1).pipe(retry({ count: 3 }));',
    'of(1).pipe(retry({ delay: (_, count) => timer(100 * count, clock.scheduler) }));',
    'of(1).pipe(repeat({ delay: () => NEVER }));',
    'of(1).pipe(shareReplay(1));',
    'of(1).pipe(shareReplay({ bufferSize: 1, refCount: true }));',
    'of(1).pipe(shareReplay(1, 1000, clock.scheduler));',
    'of(1).pipe(map((value) => value + 1), share());',
  ],
});

suite('subscribers', {
  file: SUBSYSTEM,
  header: [
    "import { map, merge, type Observable, type Observer } from 'rxjs';",
    'declare const stream$: Observable<number>;',
    'declare const observer: Observer<number>;',
    'declare const other: { subscribe(listener?: () => void): void };',
  ],
  rejected: {
    'rxlet/rxjs-guarded-subscribe': [
      'stream$.subscribe();',
      'stream$.subscribe((value) => void value);',
      'stream$.subscribe({ next: (value) => void value });',
      'merge(stream$, stream$).subscribe({ complete: () => undefined });',
      'stream$.pipe(map((value) => void value));',
      'stream$.pipe(map(() => undefined));',
    ],
  },
  allowed: [
    'stream$.subscribe(observer);',
    'stream$.subscribe({ next: (value) => void value, error: () => undefined });',
    'other.subscribe();',
    'stream$.pipe(map((value) => value + 1));',
    'stream$.pipe(map((value) => (value > 1 ? value : undefined)));',
    '[1].map((value) => void value);',
  ],
});

suite('times of subjects in the stream foundation', {
  file: 'packages/component-base/src/streams/emitter.ts',
  header: [
    "import { ReplaySubject, type TimestampProvider } from 'rxjs';",
    'declare const clock: TimestampProvider;',
    'declare const periodMs: number;',
  ],
  rejected: { 'rxlet/rxjs-explicit-scheduler': ['new ReplaySubject(1, 1000);', 'new ReplaySubject(1, periodMs);'] },
  allowed: ['new ReplaySubject(1);', 'new ReplaySubject(1, Infinity);', 'new ReplaySubject(1, 1000, clock);'],
});

suite('streams', {
  file: SUBSYSTEM,
  header: [
    "import * as rx from 'rxjs';",
    "import { BehaviorSubject as Behavior, ReplaySubject, Subject } from 'rxjs';",
    'declare const signal: AbortSignal;',
    'declare const own: { Subject: new () => object };',
  ],
  rejected: {
    'rxlet/stream-foundation': [
      'new Subject();',
      'new Subject<string>();',
      'new Behavior(1);',
      'new ReplaySubject(1);',
      'new rx.AsyncSubject();',
      "signal.addEventListener('abort', () => undefined);",
      "signal?.addEventListener('abort', () => undefined, { once: true });",
    ],
  },
  allowed: [
    'new own.Subject();',
    'new rx.Observable();',
    "new EventTarget().addEventListener('change', () => undefined);",
    "signal.removeEventListener('abort', () => undefined);",
  ],
});

suite('streams of a test', {
  file: SUBSYSTEM_TEST,
  header: ["import { Subject } from 'rxjs';", 'declare const signal: AbortSignal;'],
  rejected: { 'rxlet/stream-foundation': ['new Subject();'] },
  allowed: ["signal.addEventListener('abort', () => undefined);"],
});

suite('plain words', {
  file: SUBSYSTEM,
  rejected: {
    'rxlet/plain-prose': [
      '/** What the runtime holds. */ export const opened = 1;',
      '/** Those that hang. */ export const those = 1;',
      '/** How long a pod is kept. */ export const keptMs = 1;',
      '// Nobody reads this.',
      '// A signal that is to be sent.',
      '// Starts afresh.',
      "export const message = 'the runtime tells its version';",
      "export const title = 'heeds the back-off';",
      'export const template = `the pull of ${title} is under way`;',
      'export const patienceMs = 1;',
      'export function setMortalPort(): void {}',
      'export const askedPods = 1;',
      "import { describe, it } from 'vitest'; describe('pulls', () => it('that no registry has cannot be pulled', () => {}));",
      "import { it } from 'vitest'; it.each([1])('are %d', () => {});",
      'import { test } from "vitest"; test.skipIf(true)(`of ${title} is empty`, () => {});',
    ],
  },
  allowed: [
    '/** Pods in the runtime. */ export const noun = 1;',
    '/** Reports whether the pod runs. */ export const verb = 1;',
    '// Calls `tell` of {@link heed}.',
    "export const word = 'told';",
    "export const plain = 'cannot reach the runtime';",
    'export const telling = 1;',
    "import { it } from 'vitest'; it('rejects an image that the registry does not have', () => {});",
    "console.assert(true, 'that is no test name');",
  ],
});

suite('promises and types', {
  file: SUBSYSTEM,
  rejected: {
    '@typescript-eslint/no-floating-promises': ['Promise.resolve(1);', '(async () => Promise.resolve(1))();'],
    '@typescript-eslint/no-misused-promises': ['[1].forEach(async () => Promise.resolve());'],
    '@typescript-eslint/no-explicit-any': [
      'export type Options = { value: any };',
      'export interface Port { call(request: any): void }',
      'export const give = (value: any): unknown => value;',
    ],
    '@typescript-eslint/no-unsafe-assignment': ["export const parsed = JSON.parse('{}');"],
    'no-restricted-exports': ['export default 1;'],
  },
  allowed: [
    'export const { abs } = Math;',
    'void Promise.resolve(1);',
    'await Promise.resolve(1);',
    'Promise.resolve(1).catch(() => undefined);',
    'export type Careful = { value: unknown };',
    "export const checked: unknown = JSON.parse('{}');",
  ],
});

suite('the layers, in a subsystem', {
  file: SUBSYSTEM,
  rejected: {
    '@nx/enforce-module-boundaries': [
      "import '@rxlet/pod-workers';",
      "export type { PodWorkers } from '@rxlet/pod-workers';",
      "void import('@rxlet/pod-workers');",
      "import '@rxlet/fake-cri';",
      "import '@rxlet/cri-client';",
      "import '@rxlet/agent';",
      "import '../../pod-workers/src/index.ts';",
      "import '../../pod-model/src/index.ts';",
      "import '../../../tools/generate/kube-api/generate.ts';",
    ],
  },
  allowed: [
    "import '@rxlet/component-base';",
    "import '@rxlet/component-base/testing';",
    "import '@rxlet/cri-api';",
    "import '@rxlet/kube-api';",
    "import '@rxlet/pod-model';",
    "import './create-pleg.ts';",
    "import 'rxjs';",
  ],
});

suite('the layers, in the test of a subsystem', {
  file: SUBSYSTEM_TEST,
  rejected: {
    '@nx/enforce-module-boundaries': [
      "import '@rxlet/pod-workers';",
      "import '@rxlet/agent';",
      "import '../../fake-cri/src/index.ts';",
    ],
    'no-restricted-properties': ['Date.now();'],
  },
  allowed: [
    "import '@rxlet/fake-cri';",
    "import '@rxlet/component-base/testing';",
    "import '@rxlet/test-containerd/build-image';",
  ],
});

suite('the layers, in a foundation package', {
  file: FOUNDATION,
  rejected: {
    '@nx/enforce-module-boundaries': ["import '@rxlet/pleg';", "import '@rxlet/fake-cri';", "import '@rxlet/agent';"],
    'no-restricted-properties': ['Date.now();'],
  },
  allowed: ["import './clock.ts';"],
});

suite('the test of a foundation package', {
  file: FOUNDATION_TEST,
  rejected: {
    '@nx/enforce-module-boundaries': [
      "import '@rxlet/pleg';",
      "import '../../pod-model/src/index.ts';",
      "import '../../../tools/generate/kube-api/generate.ts';",
    ],
  },
  allowed: ["import './index.ts';"],
});

suite('the files that implement time and randomness', {
  file: 'packages/component-base/src/system-clock.ts',
  header: ["import { interval } from 'rxjs';"],
  rejected: {},
  allowed: [
    'Date.now();',
    'new Date();',
    'setTimeout(() => undefined, 1);',
    'performance.now();',
    'Math.random();',
    'interval(1);',
  ],
});

suite('import cycles', {
  file: 'packages/component-base/src/clock.ts',
  rejected: {
    'rxlet/no-import-cycles': [
      "import './system-clock.ts';",
      "export * from './system-clock.ts';",
      "export type { Scheduler } from './clock-scheduler.ts';",
      "void import('./index.ts');",
    ],
  },
  allowed: ["import './random.ts';", "import 'rxjs';"],
});
