import { describe, expect, it } from 'vitest';
import { NodeIpError, nodeIpProblem, parseNodeIps } from './node-ips.ts';

describe('parseNodeIps', () => {
  it.each([
    ['', []],
    ['192.0.2.1', ['192.0.2.1']],
    [' 2001:DB8:0::1 , 192.000.002.010 ', ['2001:db8::1', '192.0.2.10']],
    ['::ffff:192.0.2.1', ['192.0.2.1']],
    ['0.0.0.0', ['0.0.0.0']],
  ])('reads "%s"', (flag, ips) => expect(parseNodeIps(flag)).toEqual(ips));

  it('reports parts that are no address', () => {
    const ignored: string[] = [];
    expect(parseNodeIps('bogus,192.0.2.1', (text) => ignored.push(text))).toEqual(['192.0.2.1']);
    expect(ignored).toEqual(['bogus']);
  });

  it.each(['192.0.2.1,192.0.2.2', '192.0.2.1,fd00::1,192.0.2.2', '0.0.0.0,::'])('rejects "%s"', (flag) => {
    expect(() => parseNodeIps(flag)).toThrow(NodeIpError);
  });
});

describe('nodeIpProblem', () => {
  it.each([
    ['127.1.2.3', "nodeIP can't be loopback address"],
    ['::1', "nodeIP can't be loopback address"],
    ['239.0.0.1', "nodeIP can't be a multicast address"],
    ['ff02::1', "nodeIP can't be a multicast address"],
    ['169.254.1.1', "nodeIP can't be a link-local unicast address"],
    ['febf::1', "nodeIP can't be a link-local unicast address"],
    ['192.0.2.9', 'node IP: "192.0.2.9" not found in the host\'s network interfaces'],
    ['192.0.2.1', undefined],
  ])('reports for %s: %s', (ip, problem) => expect(nodeIpProblem(ip, ['192.0.2.1'])).toBe(problem));
});
