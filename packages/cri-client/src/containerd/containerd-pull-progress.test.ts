import { noopLogger } from '@rxlet/component-base';
import { describe, expect, it } from 'vitest';
import { createReader } from './containerd-pull-progress.ts';
import type { ContentStore, StoredContent } from './content-store.ts';

const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
const LABEL = 'containerd.io/distribution.source.registry.example';

/** A content store in memory. Its filters are those that the reader uses. */
function createStore() {
  const contents = new Map<string, StoredContent & { labelledMs: number; text: string }>();
  const written = new Map<string, number>();
  const calls: string[] = [];
  let isOpen = true;
  const store: ContentStore = {
    async written() {
      calls.push('written');
      return new Map(written);
    },
    async list(filters) {
      calls.push(filters.every((filter) => filter.startsWith('digest==')) ? 'present' : 'manifests');
      return [...contents.values()].filter(({ digest: listed, labels }) =>
        filters.some((filter) =>
          filter.startsWith('digest==')
            ? filter === `digest==${listed}`
            : labels[LABEL] !== undefined && 'containerd.io/gc.ref.content.config' in labels,
        ),
      );
    },
    labelledMs: async (wanted) => contents.get(wanted)!.labelledMs,
    read: async (wanted) => Buffer.from(contents.get(wanted)!.text),
    [Symbol.dispose]: () => void (isOpen = false),
  };
  return {
    store,
    written,
    calls,
    isOpen: () => isOpen,
    add(added: string): void {
      contents.set(added, { digest: added, labels: {}, labelledMs: 0, text: '' });
    },
    /** Adds a manifest with a configuration of 10 bytes and layers of the given sizes, or one of any text. */
    addManifest(own: string, labelledMs: number, repository: string, layers: Record<string, number> | string): void {
      const labels = { [LABEL]: repository, 'containerd.io/gc.ref.content.config': digest('c') };
      const descriptors = Object.entries(typeof layers === 'string' ? {} : layers).map(([layer, size]) => ({
        digest: layer,
        size,
      }));
      const manifest: unknown = { config: { digest: digest('c'), size: 10 }, layers: descriptors };
      const text = typeof layers === 'string' ? layers : JSON.stringify(manifest);
      contents.set(own, { digest: own, labels, labelledMs, text });
    },
  };
}

describe('a reader of pull progress', () => {
  const pullOf = (name: string, startedMs = 1000) => ({ image: `registry.example/${name}`, startedMs });
  const setUp = () => {
    const test = createStore();
    const reader = createReader(test.store, noopLogger);
    const read = (...pulls: ReturnType<typeof pullOf>[]) => reader.read(pulls, new AbortController().signal);
    return { ...test, reader, read };
  };

  it('finds the manifest that was labelled since the pull began, and adds up its layers', async () => {
    const { add, addManifest, written, read } = setUp();
    const pull = pullOf('app:2');
    addManifest(digest('a'), 999, 'app', { [digest('1')]: 100 });
    expect(await read(pull)).toEqual([{ step: 'resolving' }]);
    addManifest(digest('b'), 1001, 'app,team/other', { [digest('1')]: 100, [digest('2')]: 50 });
    add(digest('1'));
    written.set(digest('c'), 4);
    expect(await read(pull)).toEqual([{ step: 'downloading', currentBytes: 104, totalBytes: 160 }]);
    written.clear();
    add(digest('c'));
    written.set(digest('2'), 20);
    expect(await read(pull)).toEqual([{ step: 'downloading', currentBytes: 130, totalBytes: 160 }]);
    written.clear();
    add(digest('2'));
    expect(await read(pull)).toEqual([{ step: 'unpacking', currentBytes: 160, totalBytes: 160 }]);
  });

  it('looks content up only when what is being written has changed', async () => {
    const { addManifest, written, read, calls } = setUp();
    const pull = pullOf('app:1');
    addManifest(digest('a'), 1001, 'app', { [digest('1')]: 100 });
    written.set(digest('1'), 10);
    await read(pull);
    expect(calls.splice(0)).toEqual(['written', 'manifests', 'present']);
    written.set(digest('1'), 20);
    expect(await read(pull)).toMatchObject([{ currentBytes: 20 }]);
    expect(calls.splice(0)).toEqual(['written']);
    written.delete(digest('1'));
    await read(pull);
    expect(calls.splice(0)).toEqual(['written', 'present']);
  });

  it('reports nothing of pulls of one repository whose manifests it cannot distinguish', async () => {
    const { addManifest, read } = setUp();
    const [one, two] = [pullOf('app:1'), pullOf('app:2')];
    addManifest(digest('a'), 1001, 'app', { [digest('1')]: 100 });
    expect(await read(one, two)).toEqual([undefined, undefined]);
    addManifest(digest('b'), 1002, 'app', { [digest('2')]: 200 });
    expect(await read(one, two)).toEqual([undefined, undefined]);
  });

  it('distinguishes pulls of one repository that begin one after the other', async () => {
    const { addManifest, read } = setUp();
    const [one, two] = [pullOf('app:1'), pullOf('app:2', 2000)];
    addManifest(digest('a'), 1001, 'app', { [digest('1')]: 100 });
    await read(one);
    expect(await read(one, two)).toMatchObject([{ totalBytes: 110 }, { step: 'resolving' }]);
    addManifest(digest('b'), 2001, 'app', { [digest('2')]: 200 });
    expect(await read(one, two)).toMatchObject([{ totalBytes: 110 }, { totalBytes: 210 }]);
  });

  it('does not resolve while layers are written that it cannot assign', async () => {
    const { written, read } = setUp();
    written.set(digest('9'), 1);
    expect(await read(pullOf('app:1'))).toEqual([undefined]);
  });

  it.each(['no JSON', '{"manifests":[]}'])('reports nothing of a pull whose manifest is %s', async (text) => {
    const { addManifest, read } = setUp();
    addManifest(digest('a'), 1001, 'app', text);
    expect(await read(pullOf('app:1'))).toEqual([undefined]);
  });

  it('reports nothing of an image without a repository', async () => {
    const { read, calls } = setUp();
    expect(await read({ image: 'Not An Image', startedMs: 0 })).toEqual([undefined]);
    expect(calls).toEqual(['written']);
  });

  it('closes the store', () => {
    const { reader, isOpen } = setUp();
    reader[Symbol.dispose]();
    expect(isOpen()).toBe(false);
  });
});
