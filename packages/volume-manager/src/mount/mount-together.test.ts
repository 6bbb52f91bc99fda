import { expect, it } from 'vitest';
import { formatMountList, type MemoryMount } from './mount-list.ts';
import { createMountTogether } from './mount-together.ts';

const mountOf = (target: string): MemoryMount => ({ source: 'tmpfs', target, fsType: 'tmpfs', options: ['size=1'] });

it('mounts together what is requested while others are mounted, and names the failures of each', async () => {
  const calls: { readonly targets: readonly string[]; end(failures: readonly (Error | undefined)[]): void }[] = [];
  const mount = createMountTogether((requests) => {
    const { promise, resolve } = Promise.withResolvers<readonly (Error | undefined)[]>();
    calls.push({ targets: requests.map(({ target }) => target), end: resolve });
    return promise;
  });
  const { signal } = new AbortController();
  const first = mount(mountOf('/a'), signal);
  await Promise.resolve();
  const leaving = new AbortController();
  void mount(mountOf('/dropped'), leaving.signal);
  const others = ['/b', '/c'].map((target) => mount(mountOf(target), signal));
  leaving.abort();
  expect(calls.map(({ targets }) => targets)).toEqual([['/a']]);
  calls[0]!.end([]);
  await first;
  await expect.poll(() => calls.length).toBe(2);
  expect(calls[1]!.targets).toEqual(['/b', '/c']);
  calls[1]!.end([undefined, new Error('no')]);
  await expect(Promise.allSettled(others)).resolves.toMatchObject([{ status: 'fulfilled' }, { status: 'rejected' }]);
});

it('fails the requests of a program that cannot be run, and no later ones', async () => {
  let fails = true;
  const mount = createMountTogether(async () => {
    if (fails) throw new Error('no memory');
    return [undefined];
  });
  const { signal } = new AbortController();
  await expect(mount(mountOf('/a'), signal)).rejects.toThrow('no memory');
  fails = false;
  await mount(mountOf('/b'), signal);
});

it('formats a list in which no name ends a field or begins a comment', () => {
  expect(formatMountList([{ ...mountOf('/a b\t#\\\n'), options: [] }])).toBe(
    'tmpfs /a\\040b\\011\\043\\134\\012 tmpfs defaults 0 0\n',
  );
});
