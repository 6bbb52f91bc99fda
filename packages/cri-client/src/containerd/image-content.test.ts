import { describe, expect, it } from 'vitest';
import { contentOfManifest, contentSourceOf, progressOf } from './image-content.ts';

const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
const [config, base, top] = [digest('c'), digest('1'), digest('2')];

describe('contentSourceOf', () => {
  it.each([
    ['nginx', 'docker.io', 'library/nginx'],
    ['team/app:1', 'docker.io', 'team/app'],
    ['docker.io/library/nginx:1.27', 'docker.io', 'library/nginx'],
    ['localhost/app:1', 'localhost', 'app'],
    ['127.0.0.1:5000/team/app:1', '127.0.0.1', 'team/app'],
    [`registry.k8s.io/pause:3.10@${digest('a')}`, 'registry.k8s.io', 'pause'],
    ['[::1]:5000/app', '::1', 'app'],
  ])('finds the label and the repository of %s', (image, host, repository) => {
    expect(contentSourceOf(image)).toEqual({ label: `containerd.io/distribution.source.${host}`, repository });
  });

  it.each(['Nginx', 'a b', 'host"x.y/app', 'registry.example/a"b'])('has none for %j', (image) => {
    expect(contentSourceOf(image)).toBeUndefined();
  });
});

describe('contentOfManifest', () => {
  const parse = (manifest: unknown) => contentOfManifest(Buffer.from(JSON.stringify(manifest)));

  it('returns the sizes of the configuration and of each different layer', () => {
    const layers = [
      { digest: base, size: 100 },
      { digest: top, size: 7 },
      { digest: base, size: 100 },
    ];
    expect(parse({ config: { digest: config, size: 10 }, layers })).toEqual(
      new Map([
        [config, 10],
        [base, 100],
        [top, 7],
      ]),
    );
  });

  it.each([
    null,
    {},
    { manifests: [] },
    { layers: [] },
    { config: { digest: config, size: -1 }, layers: [] },
    { config: { digest: config, size: 1.5 }, layers: [] },
    { config: { digest: 'sha256:x",digest!=""', size: 1 }, layers: [] },
    { config: { digest: config, size: 1 }, layers: [null] },
  ])('throws for %j', (manifest) => {
    expect(() => parse(manifest)).toThrow();
  });
});

describe('progressOf', () => {
  const content = new Map([
    [config, 10],
    [base, 100],
    [top, 50],
  ]);

  it('adds up present and written content', () => {
    const written = new Map([
      [base, 40],
      [digest('f'), 1000],
    ]);
    expect(progressOf(content, new Set([config]), written)).toEqual({
      step: 'downloading',
      currentBytes: 50,
      totalBytes: 160,
    });
  });

  it('never exceeds the size of a layer', () => {
    expect(progressOf(content, new Set(), new Map([[base, 1e9]]))).toMatchObject({ currentBytes: 100 });
  });

  it('unpacks when all content is present', () => {
    const present = new Set(content.keys());
    expect(progressOf(content, present, new Map())).toEqual({ step: 'unpacking', currentBytes: 160, totalBytes: 160 });
  });
});
