import type { JournalEntry } from '@rxlet/agent-api/journal';
import { createVirtualClock, recordingLogger, type VirtualClock } from '@rxlet/component-base/testing';
import { createMemoryFiles, type MemoryFiles } from '@rxlet/node-files/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_LIFE_BYTES } from '../model/life.ts';
import { lifeProblems } from '../testing.ts';
import { createJournalFile } from './journal-file.ts';
import { createJournalStore } from './journal-store.ts';

const directory = '/root/journal';
const path = `${directory}/journal`;

/** One run of an agent: a store with its file. */
async function run(clock: VirtualClock, files: MemoryFiles, maxBytes?: number) {
  const store = createJournalStore({ clock });
  const logger = recordingLogger();
  const { nodeFiles } = files;
  let isKilled = false;
  const never = new Promise<void>(() => undefined);
  const own = {
    ...nodeFiles,
    appendFile: (...args: Parameters<typeof nodeFiles.appendFile>) =>
      isKilled ? never : nodeFiles.appendFile(...args),
    replaceFile: (...args: Parameters<typeof nodeFiles.replaceFile>) =>
      isKilled ? never : nodeFiles.replaceFile(...args),
  };
  const file = createJournalFile({ files: own, clock, logger, store }, { directory, maxBytes });
  await file.start();
  return {
    store,
    file,
    logger,
    /** Ends all effects of the agent. */
    kill: async () => {
      isKilled = true;
      await clock.settle();
    },
    report(entry: JournalEntry) {
      store.apply(entry);
      file.append(entry);
    },
  };
}

const begin = (id: string, uid: string, atMs: number, parentId?: string): JournalEntry => ({
  type: 'begin',
  id,
  uid,
  atMs,
  kind: parentId === undefined ? 'pod' : 'image.pull',
  ...(parentId === undefined ? { namespace: 'default', name: uid } : { parentId }),
});
const end = (id: string, uid: string, atMs: number): JournalEntry => ({
  type: 'end',
  id,
  uid,
  atMs,
  outcome: { result: 'ok' },
});

describe('createJournalFile', () => {
  it('writes a second after an entry, and nothing while there is none', async () => {
    const clock = createVirtualClock();
    const files = createMemoryFiles({ roots: ['/root'] });
    const { report, file } = await run(clock, files);
    expect(clock.pendingTimers).toBe(0);
    const before = files.text(path);
    report(begin('a', 'u1', clock.now()));
    expect(files.text(path)).toBe(before);
    await clock.advance(1_000);
    expect(files.text(path)).toContain('"u1"');
    expect(clock.pendingTimers).toBe(0);
    await file[Symbol.asyncDispose]();
  });

  it('continues a life after a restart of the agent, which is a fact of it', async () => {
    const clock = createVirtualClock();
    const files = createMemoryFiles({ roots: ['/root'] });
    const first = await run(clock, files);
    first.report(begin('a1', 'u1', clock.now()));
    first.report(begin('a2', 'u1', clock.now(), 'a1'));
    await clock.advance(2_000);
    const second = await run(clock, files);
    second.report(begin('b1', 'u1', clock.now()));
    second.report(begin('b2', 'u1', clock.now(), 'b1'));
    const lives = second.store.lives();
    expect(lives).toHaveLength(1);
    expect(lives[0]?.spans.map(({ kind, outcome }) => [kind, outcome?.result])).toEqual([
      ['pod', undefined],
      ['image.pull', 'interrupted'],
      ['agent.started', undefined],
      ['image.pull', undefined],
    ]);
    expect(lifeProblems(lives)).toEqual([]);
    second.store.retain(new Set());
    expect(second.store.lives()[0]?.endMs).toBeDefined();
  });

  it('stays within its bound, and keeps the lives of pods that are there before those of pods that are gone', async () => {
    const clock = createVirtualClock();
    const files = createMemoryFiles({ roots: ['/root'] });
    const maxBytes = 20_000;
    const { report, file } = await run(clock, files, maxBytes);
    report(begin('here', 'here', clock.now()));
    for (let index = 0; index < 300; index += 1) {
      const uid = `u${String(index)}`;
      report(begin(uid, uid, clock.now()));
      report(end(uid, uid, clock.now()));
      await clock.advance(500);
      expect(files.text(path)!.length).toBeLessThanOrEqual(maxBytes);
    }
    await file[Symbol.asyncDispose]();
    const next = await run(clock, files, maxBytes);
    expect(next.store.life('here')).toBeDefined();
    expect(next.store.life('u299')).toBeDefined();
  });

  it('replaces the file after a failed write, which is logged once', async () => {
    const clock = createVirtualClock();
    const files = createMemoryFiles({ roots: ['/root'] });
    const { report, file, logger } = await run(clock, files);
    await files.nodeFiles.removeFile(path);
    report(begin('a', 'u1', clock.now()));
    await clock.advance(1_000);
    report(begin('b', 'u1', clock.now(), 'a'));
    await clock.advance(1_000);
    expect(logger.lines.map(({ message }) => message)).toEqual(['cannot write the journal']);
    expect(files.text(path)).toContain('"b"');
    await file[Symbol.asyncDispose]();
  });

  it('leaves no timer when it is disposed of during a write, after which entries wait', async () => {
    const clock = createVirtualClock();
    const files = createMemoryFiles({ roots: ['/root'] });
    const store = createJournalStore({ clock });
    const write = Promise.withResolvers<void>();
    const nodeFiles = {
      ...files.nodeFiles,
      async appendFile(...args: Parameters<typeof files.nodeFiles.appendFile>) {
        await write.promise;
        await files.nodeFiles.appendFile(...args);
      },
    };
    const file = createJournalFile({ files: nodeFiles, clock, logger: recordingLogger(), store }, { directory });
    await file.start();
    file.append(begin('a', 'u1', clock.now()));
    await clock.advance(1_000);
    file.append(begin('b', 'u2', clock.now()));
    const disposal = file[Symbol.asyncDispose]();
    write.resolve();
    await disposal;
    expect(files.text(path)).toContain('"u2"');
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not write twice at a time when the first write takes long', async () => {
    const clock = createVirtualClock();
    const files = createMemoryFiles({ roots: ['/root'] });
    const store = createJournalStore({ clock });
    const write = Promise.withResolvers<void>();
    let running = 0;
    let mostRunning = 0;
    const nodeFiles = {
      ...files.nodeFiles,
      async replaceFile(...args: Parameters<typeof files.nodeFiles.replaceFile>) {
        running += 1;
        mostRunning = Math.max(mostRunning, running);
        await write.promise;
        await files.nodeFiles.replaceFile(...args);
        running -= 1;
      },
    };
    const file = createJournalFile({ files: nodeFiles, clock, logger: recordingLogger(), store }, { directory });
    const start = file.start();
    await clock.settle();
    const entry = begin('a', 'u1', clock.now());
    store.apply(entry);
    file.append(entry);
    await clock.advance(2_000);
    write.resolve();
    await start;
    await clock.advance(2_000);
    expect(mostRunning).toBe(1);
    expect(files.text(path)).toContain('"u1"');
    await file[Symbol.asyncDispose]();
  });
});

/** Steps of a random history: spans of three pods that begin and end, time that passes or goes back, and kills that tear the file at any byte. */
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('begin' as const), pod: fc.nat(2), within: fc.nat(5) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('end' as const), pod: fc.nat(2), which: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const), pod: fc.nat(2) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 2_000 }) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('kill' as const), torn: fc.nat(400) }) },
  ),
  { maxLength: 60 },
);

describe('a journal with kills', () => {
  it(
    'is readable after a kill at any moment: spans nest, and no life is there twice',
    { timeout: 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (history) => {
          const clock = createVirtualClock();
          const files = createMemoryFiles({ roots: ['/root'] });
          let agent = await run(clock, files, 6_000);
          let generation = 0;
          let count = 0;
          /** Spans of each pod that this agent has begun and not ended, the root first. */
          let open: string[][] = [[], [], []];
          for (const step of history) {
            if (step.do === 'wait') await clock.advance(step.ms);
            else if (step.do === 'kill') {
              // The write of the last second is lost, and what was written last is torn.
              const text = files.text(path) ?? '';
              await agent.kill();
              await files.nodeFiles.replaceFile(path, text.slice(0, Math.max(0, text.length - step.torn)), 0o600);
              generation += 1;
              open = [[], [], []];
              agent = await run(clock, files, 6_000);
            } else {
              const uid = `u${String(step.pod)}`;
              const own = open[step.pod]!;
              const atMs = clock.now();
              if (step.do === 'begin') {
                count += 1;
                const id = `${String(generation)}-${String(count)}`;
                agent.report(begin(id, uid, atMs, own[step.within % Math.max(1, own.length)]));
                own.push(id);
              } else if (step.do === 'end' && own.length > 1) {
                const [id] = own.splice(1 + (step.which % (own.length - 1)), 1);
                agent.report(end(id!, uid, atMs));
              } else if (step.do === 'close' && own.length > 0) {
                agent.report(end(own[0]!, uid, atMs));
                open[step.pod] = [];
              }
            }
            const lives = agent.store.lives();
            expect(lifeProblems(lives)).toEqual([]);
            for (const life of lives)
              expect(JSON.stringify(life.spans).length).toBeLessThanOrEqual(MAX_LIFE_BYTES * 1.1);
          }
          await agent.file[Symbol.asyncDispose]();
        }),
        { numRuns: 300 },
      );
    },
  );
});
