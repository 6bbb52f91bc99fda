import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeyring } from './keyring.ts';

/** Creates a keyring whose credentials are the registries themselves. */
const keyringOf = (...registries: string[]) =>
  createKeyring(registries.map((registry) => ({ registry, credential: registry })));

describe('a keyring', () => {
  it('matches hosts up to the length of names in DNS', () => {
    const longest = `${'a'.repeat(250)}.io:65535`;
    expect(keyringOf(longest, '*.io:65535').lookup(`${longest}/x`)).toEqual([longest, '*.io:65535']);
    expect(keyringOf(`a${longest}`, '*.io:65535').lookup(`a${longest}/x`)).toEqual([]);
    expect(keyringOf(`a${longest}`).invalidRegistries).toEqual([`a${longest}`]);
  });

  it.each<[what: string, registries: string[], image: string, found: string[]]>([
    ['a host', ['gcr.io'], 'gcr.io/a/b:1', ['gcr.io']],
    ['not a longer host', ['gcr.io'], 'eu.gcr.io/a', []],
    ['not the end of a part', ['gcr.io'], 'xgcr.io/a', []],
    ['a digest', ['gcr.io/a'], `gcr.io/a/b@sha256:${'0'.repeat(64)}`, ['gcr.io/a']],
    ['upper case as written', ['GCR.io'], 'gcr.io/a', []],
    ['https', ['https://gcr.io'], 'gcr.io/a', ['https://gcr.io']],
    ['a trailing slash', ['gcr.io/'], 'gcr.io/a', ['gcr.io/']],
    ['the versions of Docker’s API', ['http://r.io/v1/', 'r.io/v2/'], 'r.io/a', ['http://r.io/v1/', 'r.io/v2/']],
    ['what follows such a version', ['r.io/v2/team'], 'r.io/team/a', ['r.io/v2/team']],
    ['a path named like a version', ['r.io/v2'], 'r.io/a', []],
    ['a beginning of a path, also within a name', ['gcr.io/proj'], 'gcr.io/project/a', ['gcr.io/proj']],
    ['a path with its slash', ['gcr.io/proj/'], 'gcr.io/project/a', []],
    ['a path with its slash, in it', ['gcr.io/proj/'], 'gcr.io/proj/a', ['gcr.io/proj/']],
    ['no glob in a path', ['gcr.io/*'], 'gcr.io/a', []],
    ['a port', ['r.io:5000'], 'r.io:5000/a', ['r.io:5000']],
    ['another port', ['r.io:5000'], 'r.io:5001/a', []],
    ['a port where the image has none', ['r.io:443'], 'r.io/a', []],
    ['a port where the key has none', ['r.io'], 'r.io:443/a', []],
    ['no glob in a port', ['r.io:*'], 'r.io:1/a', []],
    ['a glob for one part', ['*.r.io'], 'a.r.io/x', ['*.r.io']],
    ['a glob not for two', ['*.r.io'], 'a.b.r.io/x', []],
    ['a glob not for none', ['*.r.io'], 'r.io/x', []],
    ['globs in a part', ['a*b*c.r.io:5/t'], 'a1b2bc.r.io:5/t/x', ['a*b*c.r.io:5/t']],
    ['globs in a part that do not fit', ['a*b*c.r.io'], 'acb.r.io/x', []],
    ['a glob whose pieces would overlap', ['ab*ba.io'], 'aba.io/x', []],
    ['several globs', ['*.dkr.ecr.*.aws.com'], '1.dkr.ecr.eu.aws.com/x', ['*.dkr.ecr.*.aws.com']],
    ['a question mark, which begins a query', ['a?.io'], 'ab.io/x', []],
    ['IPv6 with a port', ['[::1]:5000'], '[::1]:5000/a', ['[::1]:5000']],
    ['IPv6 without a port, which a kubelet takes for a class', ['[::1]'], '[::1]/a', []],
    ['user info is dropped', ['https://me@r.io'], 'r.io/a', ['https://me@r.io']],
    ['the most specific first', ['r.io', 'r.io/a/b', 'r.io/a'], 'r.io/a/b/c', ['r.io/a/b', 'r.io/a', 'r.io']],
    ['a host before a glob', ['*.r.io', 'a.r.io'], 'a.r.io/x', ['a.r.io', '*.r.io']],
    [
      'equal keys in their order',
      ['r.io', 'https://r.io', 'http://r.io/v2/'],
      'r.io/x',
      ['r.io', 'https://r.io', 'http://r.io/v2/'],
    ],
    ['Docker Hub for a short name', ['https://index.docker.io/v1/'], 'nginx', ['https://index.docker.io/v1/']],
    ['Docker Hub for a short name with a tag', ['index.docker.io'], 'nginx:latest', ['index.docker.io']],
    ['Docker Hub for a user', ['index.docker.io'], 'me/app:1', ['index.docker.io']],
    ['Docker Hub for docker.io', ['index.docker.io'], 'docker.io/library/nginx', ['index.docker.io']],
    [
      'Docker Hub only if nothing else is found',
      ['index.docker.io', 'docker.io'],
      'docker.io/library/nginx',
      ['docker.io'],
    ],
    ['Docker Hub, but not docker.io, for a short name', ['docker.io'], 'nginx', []],
    ['Docker Hub not for another registry', ['index.docker.io'], 'r.io/nginx', []],
    ['Docker Hub not for a registry with a port', ['index.docker.io'], 'localhost:5000/nginx', []],
    ['Docker Hub for localhost, as a kubelet does', ['index.docker.io'], 'localhost/nginx', ['index.docker.io']],
    ['Docker Hub’s key with a path matches no image', ['index.docker.io/team'], 'nginx', []],
    ['nothing for nothing', ['index.docker.io'], '', []],
  ])('%s', (_, registries, image, found) => {
    expect(keyringOf(...registries).lookup(image)).toEqual(found);
  });

  it.each([
    'r.io:port',
    'r.io:1:2',
    'a b.io',
    '[r].io',
    '[::1',
    'r.io/%zz',
    'r.io\n',
    '<%41>.io',
    'a{b}.io',
    'r|io@r.io',
  ])('leaves %j aside', (registry) => {
    const keyring = keyringOf(registry, 'r.io');
    expect(keyring.invalidRegistries).toEqual([registry]);
    expect(keyring.lookup('r.io/x')).toEqual(['r.io']);
  });

  it('matches a pattern of many globs in no time', () => {
    const registry = `${'*a'.repeat(20_000)}b`;
    expect(keyringOf(registry).lookup(`${'a'.repeat(60_000)}/x`)).toEqual([]);
  });
});

/** The rule as a naive reference: by regular expressions, for registries that need no parsing. */
function naiveMatches(pattern: Place, image: Place): boolean {
  const parts = pattern.host.map((part) => part.replaceAll('*', '[^.]*').replaceAll('$', String.raw`\$`));
  return (
    new RegExp(`^${parts.join(String.raw`\.`)}$`).test(image.host.join('.')) &&
    pattern.port === image.port &&
    `/${image.path.join('/')}`.startsWith(pattern.path.length > 0 ? `/${pattern.path.join('/')}` : '')
  );
}

interface Place {
  readonly host: readonly string[];
  readonly port: string;
  readonly path: readonly string[];
}
const place = (letters: string[], minPath: number): fc.Arbitrary<Place> =>
  fc.record({
    host: fc.array(fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 4 }), {
      minLength: 2,
      maxLength: 3,
    }),
    port: fc.constantFrom('', '', '1', '22'),
    path: fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 2 }), {
      minLength: minPath,
      maxLength: 3,
    }),
  });
const textOf = ({ host, port, path }: Place): string => [host.join('.') + (port && `:${port}`), ...path].join('/');

describe('any keyring', () => {
  it('finds what a naive matcher finds, the most specific first', () => {
    const patterns = fc.array(place(['a', 'b', '*', '*'], 0), { maxLength: 6 });
    fc.assert(
      fc.property(patterns, place(['a', 'b'], 1), fc.constantFrom('', 'https://', 'http://'), (keys, image, scheme) => {
        const found = createKeyring(
          keys.map((key) => ({ registry: scheme + textOf(key), credential: textOf(key) })),
        ).lookup(textOf(image));
        const want = keys.filter((key) => naiveMatches(key, image)).map(textOf);
        expect(found).toEqual(want.sort().reverse());
      }),
      { numRuns: 2000 },
    );
  });

  it('throws at nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.string({ unit: 'binary' }), (registries, image) => {
        const keyring = keyringOf(...registries);
        expect(keyring.lookup(image).length + keyring.invalidRegistries.length).toBeLessThanOrEqual(registries.length);
      }),
    );
  });
});
