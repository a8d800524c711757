// Numbers by name, as the user writes them.

export type Sizes = Readonly<Record<string, number>>;

/** What a text says, or what is wrong with it. */
export function asSizes(text: string, names: readonly string[]): Sizes | string {
  const found: Record<string, number> = {};
  for (const word of text.split(/[\s,]+/).filter((part) => part !== "")) {
    const [name = "", number = "", more] = word.split("=");
    if (!names.includes(name)) return `There is no ${name}; there are: ${names.join(", ")}`;
    if (number === "" || more !== undefined || !Number.isFinite(Number(number))) {
      return `${name} takes a number: ${name}=64`;
    }
    found[name] = Number(number);
  }
  return found;
}
