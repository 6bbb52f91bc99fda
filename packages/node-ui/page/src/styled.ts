import { nothing } from 'lit';
import { Directive, directive, type ElementPart } from 'lit/directive.js';

/** Styles by property. */
type Styles = Readonly<Record<string, string>>;

/** Sets single styles of an element. The content security policy forbids the attribute `style`, by which lit's own directive begins. */
class Styled extends Directive {
  private previous: Styles = {};

  override render(_styles: Styles): unknown {
    return nothing;
  }

  override update(part: ElementPart, [styles]: [Styles]): unknown {
    const { style } = part.element as HTMLElement;
    for (const name of Object.keys(this.previous)) if (!(name in styles)) style.removeProperty(name);
    for (const [name, value] of Object.entries(styles)) {
      if (this.previous[name] !== value) style.setProperty(name, value);
    }
    this.previous = styles;
    return nothing;
  }
}

/** Sets styles of the element that it is in: `<div ${styled({ left: '10%' })}>`. */
export const styled: (styles: Styles) => unknown = directive(Styled);
