import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import type { ComponentChild, VNode } from 'preact';
import { useMemo } from 'preact/hooks';

/** Shows text as Markdown. HTML is shown as text, and nothing is loaded from other sites. */
export function Markdown({ text }: { readonly text: string }): VNode {
  const tokens = useMemo(() => new Lexer({ gfm: true }).lex(text), [text]);
  return <div class="markdown">{all(tokens)}</div>;
}

function all(tokens: readonly Token[] | undefined): ComponentChild[] {
  return (tokens ?? []).map((token, index) => <Part key={index} token={known(token)} />);
}

/** The lexer has no extensions, so all tokens are tokens of Markdown. */
function known(token: Token): MarkedToken {
  return token as MarkedToken;
}

function Part({ token }: { readonly token: MarkedToken }): ComponentChild {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return <Heading {...token} />;
    case 'paragraph':
      return <p>{all(token.tokens)}</p>;
    case 'blockquote':
      return <blockquote>{all(token.tokens)}</blockquote>;
    case 'list':
      return <List {...token} />;
    case 'code':
      return <CodeBlock text={token.text} label={token.lang} />;
    case 'hr':
      return <hr />;
    case 'table':
      return <Table {...token} />;
    case 'strong':
      return <strong>{all(token.tokens)}</strong>;
    case 'em':
      return <em>{all(token.tokens)}</em>;
    case 'del':
      return <del>{all(token.tokens)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <Link href={token.href}>{all(token.tokens)}</Link>;
    case 'image':
      return <Link href={token.href}>{token.text || token.href}</Link>;
    case 'text':
      return 'tokens' in token && token.tokens !== undefined ? <>{all(token.tokens)}</> : token.text;
    default:
      // HTML and unknown tokens are shown as text.
      return 'text' in token ? token.text : token.raw;
  }
}

/** The headings begin at the third level, because the page uses the first two itself. */
function Heading({ depth, tokens }: Tokens.Heading): VNode {
  const content = all(tokens);
  if (depth === 1) return <h3>{content}</h3>;
  return depth === 2 ? <h4>{content}</h4> : <h5>{content}</h5>;
}

function List({ ordered, start, items }: Tokens.List): VNode {
  const lines = items.map(({ tokens, task, checked }, index) => (
    <li key={index}>
      {task && <span aria-hidden="true">{checked === true ? '☑ ' : '☐ '}</span>}
      {all(tokens)}
    </li>
  ));
  return ordered ? <ol start={Number(start)}>{lines}</ol> : <ul>{lines}</ul>;
}

function Table({ header, rows }: Tokens.Table): VNode {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map(({ tokens }, index) => (
              <th key={index}>{all(tokens)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map(({ tokens }, place) => (
                <td key={place}>{all(tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Shows text unchanged, with lines that may be wider than the page. */
export function CodeBlock({
  text,
  label,
}: {
  readonly text: string;
  readonly label?: string | undefined;
}): VNode {
  return (
    <pre tabIndex={0} aria-label={label ? `Code, ${label}` : 'Code'} role="region">
      <code>{text}</code>
    </pre>
  );
}

/** A link to a page or an e-mail address. Any other target is shown as text. */
export function Link({
  href,
  children,
}: {
  readonly href: string;
  readonly children: ComponentChild | ComponentChild[];
}): VNode {
  if (!/^(?:https?|mailto):/i.test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
