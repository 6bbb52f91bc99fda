/** The parts of a resolv.conf that are handed on to pods. */
export interface ResolvConf {
  readonly nameservers: readonly string[];
  readonly searches: readonly string[];
  /** As they stand there, e.g. `timeout:2`; of equal names the last one. */
  readonly options: readonly string[];
}

/**
 * Reads a resolv.conf the way a kubelet does: comments count only at the start of a line, of several `search` lines the last one wins, and `.` in a search
 * list is dropped.
 * @throws Error for a `nameserver` line without an address.
 */
export function parseResolvConf(text: string): ResolvConf {
  const nameservers: string[] = [];
  let searches: string[] = [];
  const options = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line.trim().split(/\s+/);
    switch (keyword) {
      case 'nameserver': {
        const address = values[0];
        if (address === undefined) throw new Error('nameserver list is empty');
        nameservers.push(address);
        break;
      }
      case 'search':
        searches = values.filter((domain) => domain !== '.').map((domain) => domain.replace(/\.$/, ''));
        break;
      case 'options':
        for (const option of values) options.set(optionName(option), option);
        break;
      default:
        break;
    }
  }
  return { nameservers, searches, options: [...options.values()] };
}

/** `timeout` of `timeout:2`. */
export function optionName(option: string): string {
  return option.split(':', 1)[0]!;
}
