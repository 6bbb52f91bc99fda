import { expect, it } from 'vitest';
import { parseMountInfo } from './mount-table.ts';

const table = parseMountInfo(`22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw
36 22 0:30 / /pods/a rw,nosuid shared:5 master:2 - tmpfs tmpfs rw,size=64k
37 36 8:1 /data/x /pods/a/b\\040c\\012\\303\\244 ro - ext4 /dev/sda1 rw
38 22 0:31 / /pods/ab rw - tmpfs tmpfs rw
39 36 0:32 / /pods/a rw - proc proc rw
not a mount
`);

it('finds the topmost mount on a path', () => {
  expect(table.at('/pods/a')?.fsType).toBe('proc');
  expect(table.at('/pods')).toBeUndefined();
});

it('decodes names', () => {
  expect(table.at('/pods/a/b c\nä')).toEqual({
    target: '/pods/a/b c\nä',
    fsType: 'ext4',
    source: '/dev/sda1',
    root: '/data/x',
    options: ['ro', 'rw'],
  });
});

it('lists the mounts below a path in the order to unmount them', () => {
  expect(table.within('/pods/a').map(({ fsType }) => fsType)).toEqual(['proc', 'ext4', 'tmpfs']);
});
