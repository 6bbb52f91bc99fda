import { describe, expect, it } from 'vitest';
import { parseNetworkConfig, selectNetwork } from './network-config.ts';

const list = (fields: object): string => JSON.stringify({ name: 'net', plugins: [{ type: 'bridge' }], ...fields });

describe('parseNetworkConfig', () => {
  it('reads a list with the enabled capabilities of each plugin', () => {
    const plugins = [
      { type: 'bridge', bridge: 'cni0' },
      { type: 'portmap', capabilities: { portMappings: true, snat: false } },
    ];
    const network = parseNetworkConfig({ name: 'a.conflist', text: list({ cniVersion: '1.0.0', plugins }) });
    expect(network).toMatchObject({ name: 'net', cniVersion: '1.0.0', disableCheck: false });
    expect(network.plugins).toEqual([
      { type: 'bridge', capabilities: [], raw: plugins[0] },
      { type: 'portmap', capabilities: ['portMappings'], raw: plugins[1] },
    ]);
  });

  it('wraps a single plugin in a list that later commands can read', () => {
    const text = JSON.stringify({ name: 'net', cniVersion: '0.4.0', type: 'ptp', mtu: 1400 });
    const network = parseNetworkConfig({ name: 'a.conf', text });
    expect(network).toMatchObject({ name: 'net', cniVersion: '0.4.0', plugins: [{ type: 'ptp' }] });
    expect(parseNetworkConfig({ name: 'cached.conflist', text: network.text })).toEqual(network);
  });

  it.each([
    [{}, '0.2.0'],
    [{ cniVersion: '' }, '0.2.0'],
    [{ cniVersion: '0.4.0', cniVersions: ['1.0.0', '1.1.0', '9.0.0'] }, '1.1.0'],
    [{ cniVersions: ['0.3.1'] }, '0.3.1'],
  ])('takes the latest version that it speaks from %j', (fields, version) => {
    expect(parseNetworkConfig({ name: 'a.conflist', text: list(fields) }).cniVersion).toBe(version);
  });

  it.each([
    ['a.conflist', 'no json', /JSON/],
    ['a.conflist', '[]', 'it is not a JSON object'],
    ['a.conflist', '{"plugins":[{"type":"a"}]}', 'the field "name" is missing'],
    ['a.conflist', list({ name: '../etc' }), 'the network name "../etc" has invalid characters'],
    ['a.conflist', list({ plugins: [] }), 'the field "plugins" has no plugin'],
    ['a.conflist', list({ plugins: [{}] }), 'the field "type" of plugin 1 is missing'],
    ['a.conflist', list({ plugins: [{ type: '../../bin/sh' }] }), 'is not the name of a program'],
    ['a.conflist', list({ cniVersion: '2.0.0' }), 'the CNI version 2.0.0 is not supported'],
    ['a.conf', list({}), 'such a file must be named .conflist'],
    ['a.conf', '{"name":"net"}', 'the field "type" is missing'],
  ])('rejects the file %s with %s', (name, text, message) => {
    expect(() => parseNetworkConfig({ name, text })).toThrow(message);
  });
});

describe('selectNetwork', () => {
  it('takes the first valid file in the order of names and reports those before it', () => {
    const { network, problems } = selectNetwork([
      { name: '20-b.conflist', text: list({ name: 'b' }) },
      { name: '10-broken.conflist', text: '{' },
      { name: '15-a.conflist', text: list({ name: 'a' }) },
    ]);
    expect(network?.name).toBe('a');
    expect(problems.map(({ name }) => name)).toEqual(['10-broken.conflist']);
  });

  it('has no network in an empty folder', () => {
    expect(selectNetwork([])).toEqual({ network: undefined, problems: [] });
  });
});
