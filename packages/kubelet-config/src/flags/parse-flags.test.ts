import { describe, expect, it } from 'vitest';
import { applyFlags, parseFlags } from './parse-flags.ts';

describe('parseFlags', () => {
  it('reads the forms of a flag', () => {
    const args = [
      '--max-pods=1',
      '--port',
      '2',
      '--runonce',
      '--enable_server=false',
      '-v',
      '4',
      '--cluster-dns=a,b',
      '--cluster-dns=c',
    ];
    expect(Object.fromEntries(parseFlags(args).values)).toEqual({
      'max-pods': 1,
      port: 2,
      runonce: true,
      'enable-server': false,
      v: 4,
      'cluster-dns': ['a', 'b', 'c'],
    });
    expect(parseFlags(['-v=5']).values.get('v')).toBe(5);
    expect(parseFlags(['-v6']).values.get('v')).toBe(6);
  });

  it.each([
    [['--max-pods=0x10'], { 'max-pods': 16 }],
    [['--max-pods=-010'], { 'max-pods': -8 }],
    [['--max-pods=1_0'], { 'max-pods': 10 }],
    [['--log-json-info-buffer-size=1024Ki'], { 'log-json-info-buffer-size': '1Mi' }],
    [['--eviction-hard='], { 'eviction-hard': {} }],
    [['--eviction-hard=a<1,b<2', '--eviction-hard=a<3'], { 'eviction-hard': { a: '3', b: '2' } }],
    [
      ['--manifest-url-header=A: b:c,D:e', '--manifest-url-header=A:f'],
      { 'manifest-url-header': { A: ['b:c', 'f'], D: ['e'] } },
    ],
    [['--kube-reserved=cpu=1,pid=1000'], { 'kube-reserved': { cpu: '1', pid: '1000' } }],
    [['--cpu-manager-policy-options=a=b,c'], { 'cpu-manager-policy-options': { a: 'b,c' } }],
    [
      ['--register-with-taints=a=b:NoSchedule,c:NoExecute'],
      {
        'register-with-taints': [
          { key: 'a', value: 'b', effect: 'NoSchedule' },
          { key: 'c', effect: 'NoExecute' },
        ],
      },
    ],
    [
      ['--reserved-memory=0:memory=1024Mi;1:memory=1Gi,hugepages-2Mi=2Mi'],
      {
        'reserved-memory': [
          { numaNode: 0, limits: { memory: '1Gi' } },
          { numaNode: 1, limits: { memory: '1Gi', 'hugepages-2Mi': '2Mi' } },
        ],
      },
    ],
  ])('reads %j', (args, values) => {
    expect(Object.fromEntries(parseFlags(args).values)).toEqual(values);
  });

  it.each([
    [['--nope'], 'unknown flag: --nope'],
    [['-x'], 'unknown flag: -x'],
    [['--port'], 'flag needs an argument: --port'],
    [['--port=70000000000'], 'invalid value "70000000000" of flag --port'],
    [['--runonce=maybe'], '"maybe" is neither true nor false'],
    [['--manifest-url-header=secret'], /^invalid value of flag --manifest-url-header: expected name:value$/],
    [['--address=nope'], '"nope" is not a valid IP address'],
    [['--sync-frequency=abc'], '"abc" is not a duration'],
    [['--eviction-hard=a=1'], 'malformed pair "a=1"'],
    [['--register-with-taints=bad'], 'invalid taint spec: bad'],
    [['--reserved-memory=x'], 'numaNodeID:type=quantity'],
    [['--reserved-memory=0:cpu=1'], 'memory type cpu cannot be reserved'],
    [['-v=-1'], '"-1" is no number from 0 to 2147483647'],
    [['--vmodule=a=1=2'], '"a=1=2" does not have the form pattern=N'],
    [['--log-json-info-buffer-size=x'], '"x" is no quantity'],
    [['--', 'run'], 'unknown command run'],
  ])('rejects %j', (args, message) => {
    expect(() => parseFlags(args)).toThrow(message);
  });
});

describe('applyFlags', () => {
  it('sets nested fields and leaves their siblings', () => {
    const flags = parseFlags(['--anonymous-auth=false', '--logging-format=json']);
    const base = {
      authentication: { anonymous: { enabled: true }, webhook: { enabled: true } },
      logging: { verbosity: 2 },
    };
    expect(applyFlags(base, flags)).toMatchObject({
      authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
      logging: { verbosity: 2, format: 'json' },
    });
    expect(base.authentication.anonymous.enabled).toBe(true);
  });
});
