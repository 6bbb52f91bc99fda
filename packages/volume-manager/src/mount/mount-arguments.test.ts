import { describe, expect, it } from 'vitest';
import { mountArguments, unmountArguments } from './mount-arguments.ts';

const request = { source: 'server:/share', target: '/pods/a', fsType: 'nfs', options: ['ro', 'vers=4.1'] };

describe('mountArguments', () => {
  it('puts paths after the options', () => {
    expect(mountArguments(request)).toEqual(['-t', 'nfs', '-o', 'ro,vers=4.1', '--', 'server:/share', '/pods/a']);
  });

  it('refers to an open entry by its inherited descriptor', () => {
    const unused = () => Promise.reject(new Error('not expected'));
    const source = {
      path: '/x',
      descriptor: 17,
      stat: unused,
      chmod: unused,
      chown: unused,
      [Symbol.asyncDispose]: async () => undefined,
    };
    expect(mountArguments({ source, target: '/t', options: ['bind'] })).toEqual([
      '--no-canonicalize',
      '-o',
      'bind',
      '--',
      '/proc/self/fd/3',
      '/t',
    ]);
  });

  it.each([
    { target: 'relative' },
    { target: '/a/../b' },
    { target: '/a\0b' },
    { fsType: '../../tmp/evil' },
    { fsType: '-o' },
    { options: ['ro\nsuid'] },
    { options: [''] },
    { source: '' },
  ])('rejects %j', (change) => {
    expect(() => mountArguments({ ...request, ...change })).toThrow('mount failed');
  });
});

describe('unmountArguments', () => {
  it('does not resolve the path', () => {
    expect(unmountArguments('/a', { force: true })).toEqual(['--no-canonicalize', '--force', '--', '/a']);
  });
});
