import { expect, it } from 'vitest';
import { formatResolvConf, hasDns } from './resolv-conf.ts';

it('has a line for each server, one for the searches and one for the options', () => {
  const config = { servers: ['10.0.0.10', '10.0.0.11'], searches: ['a.svc', 'svc'], options: ['ndots:5'] };
  expect(formatResolvConf(config)).toBe(
    'nameserver 10.0.0.10\nnameserver 10.0.0.11\nsearch a.svc svc\noptions ndots:5\n',
  );
});

it('cannot be given further lines', () => {
  expect(formatResolvConf({ servers: ['1.1.1.1\nsortlist x'], searches: [], options: [] })).toBe(
    'nameserver 1.1.1.1\nnameserver sortlist\nnameserver x\n',
  );
});

it('is not written without a setting', () => {
  expect(hasDns(undefined)).toBe(false);
  expect(hasDns({ servers: [], searches: [], options: [] })).toBe(false);
  expect(hasDns({ servers: [], searches: ['a'], options: [] })).toBe(true);
});
