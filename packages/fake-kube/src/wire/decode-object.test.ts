import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from 'vitest';
import { decodeObject } from './decode-object.ts';

type Write = (writer: BinaryWriter) => void;
const text =
  (number: number, value: string): Write =>
  (writer) =>
    void writer.tag(number, WireType.LengthDelimited).string(value);
const part =
  (number: number, ...writes: readonly Write[]): Write =>
  (writer) => {
    writer.tag(number, WireType.LengthDelimited).fork();
    for (const write of writes) write(writer);
    writer.join();
  };
const encoded = (apiVersion: string, kind: string, ...writes: readonly Write[]): Uint8Array => {
  const writer = new BinaryWriter();
  part(1, text(1, apiVersion), text(2, kind))(writer);
  part(2, ...writes)(writer);
  return Buffer.concat([Buffer.from('k8s\0'), writer.finish()]);
};

describe('objects in Protocol Buffers', () => {
  it('become the JSON of Kubernetes', () => {
    const metadata = part(1, text(1, 'key'), text(2, ''), part(8), part(11, text(1, 'app'), text(2, 'web')));
    const data = part(2, text(1, 'a'), text(2, 'b'));
    expect(decodeObject(encoded('v1', 'Secret', metadata, data, text(3, 'Opaque')))).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'key', labels: { app: 'web' } },
      data: { a: 'Yg==' },
      type: 'Opaque',
    });
  });

  it('fail to decode when their kind or one of their fields is unknown', () => {
    expect(decodeObject(encoded('v1', 'Pod', part(1, text(1, 'a'))))).toBeUndefined();
    expect(decodeObject(encoded('v1', 'ConfigMap', text(99, 'a')))).toBeUndefined();
    expect(decodeObject(Buffer.from('{}'))).toBeUndefined();
  });
});
