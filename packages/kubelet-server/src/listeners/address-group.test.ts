import { expect, it } from 'vitest';
import { addressGroup } from './address-group.ts';

it.each([
  [undefined, ''],
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('addressGroup takes %s for one of %s', (address, group) => {
  expect(addressGroup(address)).toBe(group);
});
