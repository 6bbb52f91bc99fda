/** Counts of a network interface since it exists. */
export interface InterfaceCounts {
  readonly name: string;
  readonly rxBytes: number;
  readonly rxPackets: number;
  readonly rxErrors: number;
  readonly rxDropped: number;
  readonly txBytes: number;
  readonly txPackets: number;
  readonly txErrors: number;
  readonly txDropped: number;
}

/** Interfaces that are not those of the machine or of a pod: the loopback, and the host's ends of the pods' links. */
const IGNORED = /^(?:lo|veth|docker|nerdctl)/i;

/** Parses `/proc/<pid>/net/dev`. */
export function parseNetDev(text: string | undefined): readonly InterfaceCounts[] {
  return (text ?? '').split('\n').flatMap((line) => {
    const [name = '', rest] = line.split(/:(.*)/s);
    const fields = (rest ?? '').trim().split(/\s+/).map(Number);
    if (fields.length !== 16 || IGNORED.test(name.trim())) return [];
    const [rxBytes, rxPackets, rxErrors, rxDropped] = fields as [number, number, number, number];
    const [txBytes, txPackets, txErrors, txDropped] = fields.slice(8) as [number, number, number, number];
    const rx = { rxBytes, rxPackets, rxErrors, rxDropped };
    return [{ name: name.trim(), ...rx, txBytes, txPackets, txErrors, txDropped }];
  });
}
