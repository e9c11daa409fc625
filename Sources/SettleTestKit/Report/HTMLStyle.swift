/// The style sheet of the page. Colours repeat what marks and words say, so it reads in black and
/// white, too.
enum HTMLStyle {
  static let text = """
    :root { --ink: #1c1e21; --paper: #fff; --line: #c9ced6; --soft: #f2f4f7; --good: #0b6b34;
      --bad: #b3121d; --odd: #8a5300; --link: #0b57d0; }
    @media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --paper: #15171a;
      --line: #434950; --soft: #22262b; --good: #6fd08f; --bad: #ff8a85; --odd: #f0b95b;
      --link: #8ab4f8; } }
    * { box-sizing: border-box; }
    html { scroll-padding-top: 1rem; }
    body { margin: 0; background: var(--paper); color: var(--ink);
      font: 1rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
    main { max-width: 80rem; margin: 0 auto; padding: 1rem; }
    h1 { font-size: 1.5rem; margin: 0 0 .5rem; }
    h2 { font-size: 1.15rem; margin: 1.75rem 0 .5rem; }
    h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
    a { color: var(--link); }
    .verdict { display: inline-block; margin: 0; padding: .2rem .7rem; border: 2px solid;
      border-radius: .4rem; font-weight: 700; }
    .good, .asExpected { color: var(--good); }
    .bad, .notAsExpected, .hung, .crashed { color: var(--bad); }
    .skipped, .inconclusive { color: var(--odd); }
    .unknown { font-style: italic; }
    .told { padding-left: 1.2rem; }
    .legend span { display: inline-block; margin-right: 1rem; }
    .scroll { overflow-x: auto; max-width: 100%; margin: 0 0 1rem; border: 1px solid var(--line); }
    table { border-collapse: collapse; font-size: .875rem; overflow-wrap: normal; }
    caption { text-align: left; font-weight: 700; padding: .4rem .5rem; }
    th, td { border: 1px solid var(--line); padding: .25rem .5rem; text-align: left;
      vertical-align: top; }
    thead th { background: var(--soft); vertical-align: bottom; }
    tbody th { font-weight: 400; background: var(--soft); }
    .matrix tbody th { position: sticky; left: 0; min-width: 7rem; max-width: 42vw; }
    .matrix td { text-align: center; padding: .1rem; }
    .matrix thead span { writing-mode: vertical-rl; transform: rotate(180deg);
      max-height: 14rem; }
    .matrix a { display: inline-block; min-width: 1.75rem; line-height: 1.75rem;
      font-weight: 700; text-decoration: none; }
    .matrix a.notAsExpected, .matrix a.hung, .matrix a.crashed { background: var(--bad);
      color: var(--paper); }
    .matrix a.inconclusive { outline: 2px solid var(--odd); outline-offset: -2px; }
    .cells tr:target { outline: 3px solid var(--link); outline-offset: -3px; }
    .cells th { min-width: 12rem; }
    dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .5rem;
      margin: 0; }
    dt { font-size: .8rem; }
    dd { margin: 0; font-weight: 600; }
    @media print { :root { --ink: #000; --paper: #fff; --line: #888; --soft: #fff; --good: #000;
      --bad: #000; --odd: #000; --link: #000; }
      main { max-width: none; padding: 0; }
      .scroll { overflow: visible; border: 0; }
      table { font-size: .7rem; }
      .cells { overflow-wrap: anywhere; }
      .cells th { min-width: 0; }
      .matrix tbody th { position: static; }
      .matrix a.notAsExpected, .matrix a.hung, .matrix a.crashed { outline: 2px solid #000;
        background: none; }
      tr { break-inside: avoid; } }

    """
}
