import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { nestedMountPoints } from './nested-mount-points.ts';

afterEach(() => vi.restoreAllMocks());

const podWith = (...mounts: readonly (readonly [name: string, mountPath: string])[]) => ({
  spec: { containers: [{ name: 'app', volumeMounts: mounts.map(([name, mountPath]) => ({ name, mountPath })) }] },
});

it('lists the mount points of other volumes below the volume, without those nested twice', () => {
  const pod = podWith(
    ['own', '/dir'],
    ['a', '/dir/nested'],
    ['b', '/dir/nested/double'],
    ['c', '/dir/nested-volume'],
    ['d', '/dir/x/y/'],
    ['e', '/directory'],
  );
  expect(nestedMountPoints(pod, 'own').toSorted()).toEqual(['nested', 'nested-volume', 'x/y']);
  expect(nestedMountPoints(pod, 'e')).toEqual([]);
});

it('reject a mount path above the root of the container', () => {
  expect(() => nestedMountPoints(podWith(['own', '../../etc']), 'own')).toThrow('invalid container mount point');
});

describe('nestedMountPoints', () => {
  it('compares each of thousands of mount paths with few others', () => {
    const own = Array.from({ length: 2000 }, (_, index) => ['v', `/v${String(index)}`] as const);
    const others = Array.from({ length: 2000 }, (_, index) => ['w', `/v0/${String(index)}`] as const);
    const pod = podWith(...own, ...others);
    const compared = vi.spyOn(String.prototype, 'startsWith');
    expect(nestedMountPoints(pod, 'v')).toHaveLength(2000);
    expect(compared.mock.calls.length).toBeLessThan(20_000);
  });

  it('reads the mount paths of a pod once, however many volumes it has', () => {
    let reads = 0;
    const mounts = Array.from({ length: 100 }, (_, index) => ({
      name: `v${String(index)}`,
      get mountPath() {
        reads += 1;
        return `/${'a/'.repeat(index)}b`;
      },
    }));
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'app', volumeMounts: mounts }] } };
    for (const { name } of mounts) expect(nestedMountPoints(pod, name)).toEqual([]);
    expect(reads).toBe(100);
  });

  it('finds the outermost mounts below each mount of the volume', () => {
    const name = fc.constantFrom('a', 'b', 'a-', 'a.b');
    const mountPath = fc.array(name, { maxLength: 4 }).map((names) => `/${names.join('/')}`);
    const mount = fc.record({ name: fc.constantFrom('v', 'w'), mountPath });
    fc.assert(
      fc.property(fc.array(mount, { maxLength: 8 }), (mounts) => {
        const paths = mounts.map((one) => one.mountPath);
        const below = (path: string): readonly string[] => paths.filter((other) => other.startsWith(`${path}/`));
        const expected = mounts
          .filter((one) => one.name === 'v')
          .flatMap(({ mountPath: path }) =>
            below(path)
              .filter((other) => !below(path).some((between) => other.startsWith(`${between}/`)))
              .toSorted()
              .map((other) => other.slice(path.length + 1)),
          );
        expect(
          nestedMountPoints(podWith(...mounts.map((one) => [one.name, one.mountPath] as const)), 'v').toSorted(),
        ).toEqual([...new Set(expected)].toSorted());
      }),
    );
  });
});
