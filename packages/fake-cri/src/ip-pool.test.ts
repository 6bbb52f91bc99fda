import { StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { createIpPool } from './ip-pool.ts';

describe('createIpPool', () => {
  it('assigns every address once, but neither network, gateway nor broadcast', () => {
    const pool = createIpPool('10.0.0.77/29');
    const ips = Array.from({ length: 5 }, () => pool.allocate());
    expect(ips).toEqual(['10.0.0.74', '10.0.0.75', '10.0.0.76', '10.0.0.77', '10.0.0.78']);
    expect(() => pool.allocate()).toThrow(expect.objectContaining({ code: StatusCode.ResourceExhausted }));
    pool.release('10.0.0.76');
    expect(pool.allocate()).toBe('10.0.0.76');
  });

  it('does not reuse a released address at once', () => {
    const pool = createIpPool('10.0.0.0/24');
    const first = pool.allocate();
    pool.release(first);
    expect(pool.allocate()).toBe('10.0.0.3');
  });

  it('spreads over all octets', () => {
    const pool = createIpPool('192.168.0.0/16');
    for (let count = 0; count < 254; count++) pool.allocate();
    expect(pool.allocate()).toBe('192.168.1.0');
  });

  it('with listening ports keeps to loopback addresses', () => {
    const pool = createIpPool('127.64.0.0/10', 'loopback');
    pool.setCidr('10.244.0.0/16');
    expect(pool.allocate()).toBe('127.64.0.2');
    expect(() => pool.setCidr('nonsense')).toThrow(expect.objectContaining({ code: StatusCode.InvalidArgument }));
    expect(() => createIpPool('10.244.0.0/16', 'loopback')).toThrow('"10.244.0.0/16" is not within 127.0.0.0/8');
  });

  it.each(['10.0.0.0', '10.0.0.256/24', '10.0.0.0/31', '10.0.0.0/7', 'fd00::/64', ''])('rejects %j', (cidr) => {
    expect(() => createIpPool(cidr)).toThrow(expect.objectContaining({ code: StatusCode.InvalidArgument }));
  });
});
