/** Parts of a resolv.conf that apply to pods. */
export interface ResolvConf {
  readonly nameservers: readonly string[];
  readonly searches: readonly string[];
  /** Options as written, such as `timeout:2`; of options with the same name, the last one. */
  readonly options: readonly string[];
}

/**
 * Parses a resolv.conf by the kubelet's rules: comments are recognized only at the start of a line, the last `search` line wins, and `.` in a search list is
 * dropped.
 * @throws Error for a `nameserver` line without an address
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

/** Returns the name of an option, such as `timeout` of `timeout:2`. */
export function optionName(option: string): string {
  return option.split(':', 1)[0]!;
}
