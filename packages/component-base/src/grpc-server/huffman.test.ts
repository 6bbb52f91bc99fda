import { describe, expect, it } from 'vitest';
import { CODE_LENGTHS, decodeHuffman } from './huffman.ts';

describe('decodeHuffman', () => {
  it('has a complete code, with the end of the string as its last symbol', () => {
    const used = CODE_LENGTHS.reduce((sum, bits) => sum + 2 ** -bits, 0);
    expect(CODE_LENGTHS).toHaveLength(256);
    expect(used + 2 ** -30).toBe(1);
  });

  // The examples of RFC 7541, appendix C.
  it.each([
    ['f1e3c2e5f23a6ba0ab90f4ff', 'www.example.com'],
    ['a8eb10649cbf', 'no-cache'],
    ['25a849e95bb8e8b4bf', 'custom-value'],
    ['d07abe941054d444a8200595040b8166e082a62d1bff', 'Mon, 21 Oct 2013 20:13:21 GMT'],
    ['9d29ad171863c78f0b97c8e9ae82ae43d3', 'https://www.example.com'],
    ['94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007', undefined],
    ['', ''],
  ])('decodes %s', (encoded, text) => {
    const decoded = decodeHuffman(Buffer.from(encoded, 'hex'))?.toString();
    expect(decoded).toBe(text ?? 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1');
  });

  it.each(['00', 'ffffffff', 'f1e3c2e5f23a6ba0ab90f400', '1fff'])('rejects %s, whose padding is wrong', (encoded) => {
    expect(decodeHuffman(Buffer.from(encoded, 'hex'))).toBeUndefined();
  });
});
